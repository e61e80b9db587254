# 日本語。

app-name = Headroom
language-name = 日本語

## Commands: name and tooltip
cmd-generate = 描く
cmd-generate-tip = この画像を描く
cmd-queue = キューに追加
cmd-queue-tip = 待っている画像のあとに描く
cmd-stop = 停止
cmd-stop-tip = 描画を止める。できあがった画像は残ります
cmd-settings = 設定
cmd-settings-tip = テーマ、言語、メモリの上限
cmd-shortcuts = キーボードショートカット
cmd-shortcuts-tip = キーボードでできることの一覧
cmd-focus-prompt = プロンプトを編集
cmd-focus-prompt-tip = プロンプトにカーソルを置く
cmd-fit-map = サイズマップ
cmd-fit-map-tip = すべてのサイズを一目で。色は負荷を表す
cmd-swap = 幅と高さを入れ替え
cmd-swap-tip = 縦長と横長を切り替える
cmd-random-seed = 新しいシード
cmd-random-seed-tip = 別のシードを引いて固定する
cmd-older = 前の画像
cmd-older-tip = ひとつ前の画像を表示
cmd-newer = 次の画像
cmd-newer-tip = ひとつ後の画像を表示
cmd-theme = ライトとダークを切り替え
cmd-theme-tip = ライトとダークを切り替え

## Words used in many places
close = 閉じる
dismiss = 閉じる
not-known = 不明
list-join = { $first }、{ $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = 1 秒未満
time-seconds = { $s } 秒
time-minutes = { $m } 分
time-minutes-seconds = { $m } 分 { $s } 秒
time-hours = { $h } 時間
time-hours-minutes = { $h } 時間 { $m } 分
size-pixels = { $width } × { $height }

## Prompt
prompt-label = プロンプト
prompt-hint = 何を描きましょうか
negative-label = ネガティブプロンプト
negative-hint = 画像に入れたくないもの
model-label = モデル
family-builtin = 内蔵
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = サイズ
width-label = 幅
height-label = 高さ
width-exact = 正確な幅
height-exact = 正確な高さ
slider-verdict = { $label }：{ $value } ピクセル、{ $verdict }
aspect-choose = 縦横比 { $ratio }
aspect-lock = 縦横比を固定
aspect-lock-tip = ドラッグ中も幅と高さの比を保つ
size-native = 標準
size-native-tip = このモデルが作られたサイズ：{ $size }
size-largest = 入る最大
size-largest-tip = この縦横比でメモリに入る最大のサイズ
size-snapped = { $to } で描画
size-snapped-tip = このモデルは { $multiple } ピクセルの倍数で描くため、最も近いサイズになります

## Sampling
steps-label = ステップ数
guidance-label = ガイダンス
guidance-tip = プロンプトにどれだけ従うか。1 でオフ
seed-label = シード
seed-random = ランダムシード
seed-random-tip = 画像ごとに新しいシードを使う
more-label = その他
batch-label = 枚数
batch-tip = 一度に描く枚数。1 枚ごとにシードが 1 つ進みます
sampler-label = サンプラー
denoise-label = デノイズレベル
schedule-label = スケジュール
reset-label = モデルの既定値
reset-tip = このモデルに合ったステップ数、ガイダンス、サイズ

## Issues
issue-out-of-range = { $field }は { $min } から { $max } まで
issue-not-a-number = { $field }は数値にしてください
issue-too-long = { $field }は { $max } バイトまで
issue-control = { $field }にファイルへ保存できない文字があります

## Verdict
verdict-fits = 入ります
verdict-fits-with = 入るが遅め
verdict-short = 入りません
verdict-cannot-tell = 判断できません
verdict-invalid = 準備中
verdict-peak = ピーク { $peak } / { $budget } GiB
verdict-peak-mixed = ピーク { $peak } / { $budget }
verdict-peak-only = ピーク { $peak }
verdict-time = 約 { $time }
verdict-time-unknown = 時間はまだ不明
verdict-elsewhere = { $machine } の場合
verdict-line = 判定：{ $text }
verdict-short-by = { $phase }で{ $pool }が { $by } 不足
verdict-short-hard = { $phase }で設定した上限を { $by } 超過
verdict-unknown-reading = { $pool }：{ $why }
verdict-run-anyway = それでも描く
verdict-run-anyway-tip = 全体が遅くなったり失敗することがあります。判断はお任せします。
verdict-run-anyway-sure = 本当に描く
verdict-run-anyway-sure-tip = { $by } 足りないまま始めます
verdict-elsewhere-note = 別のコンピューター向けの計画です
verdict-back = このコンピューターに戻る

## Concessions, tiers, decodes
concession-phased = 部分ごとに読み込む
concession-streamed = モデルをブロックごとに読む
concession-tiled = 重ね合わせたタイルで復号する
tier-resident = 常駐
tier-phased = 段階
tier-streamed = 逐次
tier-resident-tip = 画像の間もすべて読み込んだまま
tier-phased-tip = モデルの 1 部分だけを読み込む
tier-streamed-tip = 計算しながらモデルをブロックごとに読む
decode-whole = 一括
decode-tiled = タイル
choice-both = { $tier }、{ $decode }復号

## Pools
pool-host = メモリ
pool-device = グラフィックメモリ
pool-commit = コミット済みメモリ
pool-host-title = メモリ
pool-device-title = グラフィックメモリ
pool-commit-title = コミット済みメモリ

## Why a reading is unknown
unknown-missing = 応答するものがありません
unknown-unreadable = 応答を読み取れません
unknown-zero = ゼロと表示されます
unknown-above-total = 空きが全体より多い
unknown-free-equals-total = ドライバーがほかのプログラムを数えていません

## Remedies
remedy-size = { $size } にする
remedy-single = 1 枚ずつ描く
remedy-choice = { $choice }を許可
remedy-raise-limit = 上限を { $bytes } に上げる
remedy-close-others = または { $bytes } を使うプログラムを閉じる
remedy-grow-pagefile = またはページファイルを { $bytes } 増やす
remedy-none = 小さくしても入りません。このモデルはこのコンピューターには大きすぎます

## Phases
phase-load-text-encoder = テキストエンコーダーの読み込み
phase-encode = プロンプトの読み取り
phase-load-denoiser = デノイザーの読み込み
phase-denoise = 描画
phase-load-vae = デコーダーの読み込み
phase-decode = 復号
phase-save = 保存
phase-load-text-encoder-short = 文読込
phase-encode-short = 文章
phase-load-denoiser-short = 読込
phase-denoise-short = 描画
phase-load-vae-short = VAE 読込
phase-decode-short = 復号
phase-save-short = 保存

## Terms of a need
term-text-encoder-weights = テキストエンコーダー
term-denoiser-weights = デノイザー
term-vae-weights = デコーダー
term-loras = LoRA
term-activations = 活性値
term-workspace = 作業領域
term-embeddings = 埋め込み
term-latents = 潜在変数
term-pixels = ピクセル
term-staging = 中継バッファー
term-runtime = プログラム

## Memory strip
memory-label = メモリ
gauge-others = ほか { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = この画像 { $bytes }
gauge-budget = 空き { $bytes }
gauge-total = 全体 { $bytes }
gauge-unknown = { $pool }：{ $why }
gauge-spoken = { $pool }：ほかが { $others }、Headroom が { $ours }、この画像のピークは { $peak }、空きは { $budget }、全体は { $total }
gauge-others-name = ほか
gauge-ours-name = Headroom
gauge-peak-name = この画像
gauge-room-name = 空き
timeline-label = 計画
timeline-spoken = 段階ごとの計画：{ $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = 予定 { $bytes }
timeline-measured = 実測 { $bytes }
timeline-compare = 予定 { $planned }、実測 { $measured }（{ $error }）
timeline-compare-short = 実測 { $measured }（{ $error }）
timeline-within = { $percent } % 少ない
timeline-over = { $percent } % 多い
timeline-exact = 予定どおり
timeline-empty = 入力がそろうとここに計画が出ます

## Viewer
empty-title = 何を描きましょうか
empty-body = 左に書くか、次の例から始めてください。
empty-example = 描く：{ $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = 画像：{ $prompt }
viewer-preview = プレビュー：{ $prompt }
viewer-step = ステップ { $step } / { $steps }
viewer-picture-of = { $n } / { $all } 枚目
viewer-elapsed = 経過 { $time }
viewer-left = 残り { $time }
viewer-progress = 進行状況：{ $percent } パーセント
viewer-starting = 開始中
viewer-stopping = 停止中
viewer-loading = { $done } / { $total }
viewer-seed = シード { $seed }
viewer-steps = { $steps ->
   *[other] { $steps } ステップ
}
viewer-saving = 保存中
viewer-saved = { $path } に保存しました
viewer-unsaved = 未保存
viewer-reuse = この設定を使う
viewer-reuse-tip = プロンプト、サイズ、シードなどをフォームに入れる

## Queue and strip
queue-label = キュー
queue-empty = 待ちはありません
queue-waiting = 待機中
queue-running = 描画中
queue-held = 保留：{ $why }
queue-held-short = { $pool }が { $by } 不足
queue-remove = 「{ $prompt }」をキューから外す
queue-retry = 再試行
queue-retry-tip = 今の空きメモリで計画し直す
queue-untitled = プロンプトなし
strip-label = 今回の画像
strip-empty = 描いた画像がここに並びます
strip-picture = 画像 { $n } を表示：{ $prompt }

## Header
machine-label = 計画の対象
machine-this = このコンピューター
machine-named = このコンピューター（{ $name }）
machine-tip = 別のコンピューターで何が描けるかを見る

## Fit map
map-title = どのサイズが入るか
map-body = { $from } から { $to } までのすべてのサイズ。クリックで選びます。
map-cell = { $size }：{ $verdict }
map-now = 現在 { $size }
map-label = サイズの格子

## Settings
settings-title = 設定
settings-theme = テーマ
settings-theme-system = システム
settings-theme-light = ライト
settings-theme-dark = ダーク
settings-language = 言語
settings-language-system = システム
settings-limit = メモリの上限
settings-limit-on = これ以上使わない
settings-limit-amount = メモリの上限（GiB）
settings-limit-note = 上限は厳守されます。入らないものは始まりません。
shortcuts-title = キーボード

## Notices
notice-busy = 描画エンジンのキューがいっぱいです
notice-busy-hint = 画像はここで待ち、自動的に始まります。
notice-interrupted = 描画中にプログラムが終了しました
notice-interrupted-hint = その画像は自動では描き直されず、キューは一時停止中です。確認してから続けてください。
notice-queue-elsewhere = 別の Headroom ウィンドウがキューを使っています
notice-queue-unkept = キューを保存できません：{ $why }
notice-queue-unkept-hint = ここで指示したものは描かれますが、このウィンドウを閉じると失われます。
notice-refused = 入らなくなりました：{ $what }
notice-refused-hint = 依頼のあとにメモリが使われました。キューで待っています。何かを閉じて再試行してください。
notice-replanned = メモリの状況が変わりました：{ $was } の代わりに { $tier }
notice-replanned-hint = 画像は同じで、かかる時間だけが変わります。
notice-save-failed = 画像を保存できませんでした：{ $why }
notice-save-failed-hint = 画像はまだここにあります。フォルダーがあり書き込めるか確かめてください。

## Failures
failure-cancelled = 停止しました
failure-cancelled-hint = 何も失われていません。「描く」でもう一度始まります。
failure-guard = メモリを守るため停止しました：{ $phase }
failure-guard-hint = 予定の { $planned } に対し { $live } を使いました。小さいサイズにするか、ほかのプログラムを閉じてください。
failure-refused = 入りません
failure-refused-hint = 何も読み込んでいません。示された方法から選んでください。
failure-model = モデルファイルが壊れているか読めません：{ $reason }
failure-model-hint = 入手し直すか、別のモデルを選んでください。ファイル：{ $path }
failure-device = このビルドは { $device } で計算できません
failure-device-hint = 代わりにプロセッサーを選んでください。
failure-nan = モデルが数値でない値を出しました：{ $phase }
failure-nan-hint = 別のシードか、より精度の高い重みでたいてい直ります。
failure-write = 画像を書き込めませんでした：{ $reason }
failure-write-hint = 空き容量と権限を確かめてください。場所：{ $path }
failure-crash = エンジンが異常終了し、再起動しました
failure-crash-hint = キューと画像は無事です。メッセージ：{ $what }

## Layout and ways
cmd-ways = 描き方の一覧
cmd-ways-tip = 方式ごとのメモリ、時間、入るかどうかを比べる
cmd-side = キューと画像の表示を切り替え
cmd-side-tip = キューと画像の表示を切り替え
cmd-memory = メモリ表示を切り替え
cmd-memory-tip = メモリ表示を切り替え
cmd-zoom-in = 拡大
cmd-zoom-out = 縮小
cmd-zoom-reset = 標準の大きさ
cmd-zoom-tip = ウィンドウ全体の表示の大きさ
ways-title = この画像の描き方の一覧
ways-body = 入るもののうち最速が使われます。クリックするとそれだけを許可します。画像は同じで、タイルのときだけわずかに変わります。
ways-automatic = 自動
ways-automatic-tip = 入るもののうち最速の方法を使う
ways-pinned = { $choice }のみ
ways-tier = 方式
ways-decode = 復号
ways-time = 時間
ways-verdict = 判定
ways-row = この方法で描く：{ $facts }
percent = { $n }%
settings-zoom = 表示の大きさ
settings-zoom-choose = { $percent } パーセントで表示
pane-form = 描く内容
pane-viewer = 画像
pane-side = キューと画像
machine-own-files = マシンファイルをウィンドウに落とすと追加できます

## Dropped, opened, pasted
cmd-open = ファイルを開く
cmd-open-tip = 設定入りの画像、モデル、マシンファイル。ウィンドウに落としても同じです
drop-title = ここで放すと取り込みます
drop-looking = 確認中
drop-settings = 設定をフォームに入れます
drop-machine = { $name } 向けに計画します
drop-model = このモデルを追加：{ $family }、{ $bytes }
drop-nothing = 取り込めるものがありません：{ $why }
drop-more = { $count ->
   *[other] ほか { $count } 件
}
notice-restored = { $name } の設定を取り込みました
notice-restored-text = 貼り付けた文章の設定を取り込みました
notice-restored-hint = 書かれていた内容はすべてフォームに入りました。
notice-restored-left = 取り込めなかったもの：{ $left }
notice-model-absent = モデル「{ $model }」がありません
notice-model-absent-hint = フォームのモデルはそのままです。モデルをウィンドウに落とすと追加できます。
notice-machine-added = { $name } 向けに計画しています
notice-machine-added-hint = コンピューターの一覧に残ります。
notice-model-added = モデルを追加しました：{ $name }
notice-model-added-hint = 選択され、サイズとステップ数も合わせました。
notice-not-taken = { $name } からは何も取り込めませんでした
notice-not-taken-text = 貼り付けた文章からは何も取り込めませんでした
notice-not-taken-hint = 一度に多すぎました。少し待って再試行してください。
notice-too-many = { $most ->
   *[other] 一度に取り込めるのは { $most } 件までです
}
notice-too-many-hint = 残りは取り込みませんでした。
drop-unknown = ここで扱えるものではありません
notice-not-known-hint = Headroom は設定入りの画像、モデル、マシンファイルを取り込みます。

## Queue, seeds, undo
cmd-first = 次に描く
cmd-first-tip = 待っているものより先に描く
cmd-pause = キューを一時停止
cmd-pause-tip = 描画中のものは終わらせ、次は始めない
cmd-undo = 元に戻す
cmd-undo-tip = フォームの最後の変更を取り消す
cmd-redo = やり直す
cmd-redo-tip = 取り消した変更をもう一度行う
prompt-bracket = 対応する括弧がありません
seed-fixed = このシードを固定
seed-fixed-tip = 同じシードなら同じ画像になります
seed-counting = シードを 1 ずつ進める
seed-counting-tip = 前回の続きのシードから描く
runs-label = 回数
runs-tip = 1 回のクリックで何回描くか。毎回シードが進みます
queue-go-on = キューを再開
queue-clear = 待っているものをすべて外す
queue-paused = 一時停止中：次は始まりません
queue-first = 「{ $prompt }」を次に描く
queue-up = 「{ $prompt }」を前へ
queue-down = 「{ $prompt }」を後ろへ

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = ウィンドウを開けませんでした: { $why }
prompt-literal = このモデルは括弧を重みではなく文字として読みます
distilled-label = 蒸留ガイダンス
distilled-tip = 画像がプロンプトにどれだけ従うか。これを入力とするモデル用で、時間はかかりません
rng-label = ノイズ
rng-tip = シードがどの乱数を指すか: CPU は ComfyUI と InvokeAI、NV は A1111 と同じ
issue-not-offered = { $field }: この選択はこのモデルでは使えません
concession-banded = 帯ごとにデコードします
decode-banded = 帯ごと
term-text-encoder-2-weights = テキストエンコーダー 2
term-text-encoder-3-weights = テキストエンコーダー 3
memory-spread = 直近 { $runs } 回: { $low } .. { $high } %
memory-spread-tip = 予測が実測をどれだけ上回ったか
queue-kept = { $all } ステップ中 { $done } を保存済み
queue-stopped = 停止
queue-interrupted = 中断：プログラム終了時に実行中
queue-resume = 続ける
queue-resume-tip = 保存したステップから、今空いているメモリで続けます
failure-out-of-memory = メモリ不足: { $phase }
failure-out-of-memory-hint = さらに { $bytes } が必要でしたが足りませんでした。計算した分は保存されています。
failure-spilled = グラフィックスカードがメモリへあふれる前に停止: { $phase }
failure-spilled-hint = ドライバーが { $shared } をコンピューターのメモリへ移し始めていました。計算した分は保存されています。
failure-died = 描画プロセスが終了しました: { $phase }
failure-died-start = 描画プロセスが開始時に終了しました
failure-died-hint = { $live } を使っていました。予定は { $planned } です。ウィンドウとキューは無事で、計算した分は保存されています。
death-killed = 外部から終了されました。多くはメモリ不足のときのシステムによるものです。
death-allocation = さらに { $bytes } のメモリを求めて拒否されました。
death-commit = システムはこれ以上メモリを約束できませんでした。
death-fault = 存在しないメモリに触れました。ドライバーかこのプログラムの不具合です。
death-aborted = 自ら終了しました。
death-code = システムの報告: { $code }
