# 简体中文。

app-name = Headroom
language-name = 简体中文

## Commands: name and tooltip
cmd-generate = 绘制
cmd-generate-tip = 绘制这张图片
cmd-queue = 加入队列
cmd-queue-tip = 排在已等待的图片之后绘制
cmd-stop = 停止
cmd-stop-tip = 停止绘制；已完成的图片会保留
cmd-settings = 设置
cmd-settings-tip = 主题、语言和内存上限
cmd-shortcuts = 键盘快捷键
cmd-shortcuts-tip = 键盘能做的一切
cmd-focus-prompt = 编辑提示词
cmd-focus-prompt-tip = 将光标放入提示词
cmd-fit-map = 尺寸地图
cmd-fit-map-tip = 一眼看清所有尺寸，按所需资源着色
cmd-swap = 交换宽高
cmd-swap-tip = 在竖向与横向之间切换
cmd-random-seed = 新种子
cmd-random-seed-tip = 掷出另一个种子并保留
cmd-older = 较早的图片
cmd-older-tip = 显示前一张图片
cmd-newer = 较新的图片
cmd-newer-tip = 显示后一张图片
cmd-theme = 切换浅色与深色
cmd-theme-tip = 切换浅色与深色

## Words used in many places
close = 关闭
dismiss = 忽略
not-known = 未知
list-join = { $first }，{ $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = 不到 1 秒
time-seconds = { $s } 秒
time-minutes = { $m } 分钟
time-minutes-seconds = { $m } 分 { $s } 秒
time-hours = { $h } 小时
time-hours-minutes = { $h } 小时 { $m } 分
size-pixels = { $width } × { $height }

## Prompt
prompt-label = 提示词
prompt-hint = 想画什么？
negative-label = 负面提示词
negative-hint = 图片中不该出现的内容
model-label = 模型
family-builtin = 内置
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = 尺寸
width-label = 宽
height-label = 高
width-exact = 精确宽度
height-exact = 精确高度
slider-verdict = { $label }：{ $value } 像素，{ $verdict }
aspect-choose = 宽高比 { $ratio }
aspect-lock = 锁定宽高比
aspect-lock-tip = 拖动时保持宽高比例
size-native = 原生
size-native-tip = 此模型的原生尺寸：{ $size }
size-largest = 能放下的最大尺寸
size-largest-tip = 此宽高比下能放下的最大尺寸
size-snapped = 将绘制 { $to }
size-snapped-tip = 此模型只绘制 { $multiple } 像素的倍数；取最接近的尺寸

## Sampling
steps-label = 步数
guidance-label = 引导强度
guidance-tip = 对提示词的遵循程度；1 为关闭
seed-label = 种子
seed-random = 随机种子
seed-random-tip = 每张图片使用新种子
more-label = 更多
batch-label = 图片数
batch-tip = 一次画几张，每张使用下一个种子
sampler-label = 采样器
denoise-label = 重绘幅度
schedule-label = 调度
reset-label = 模型默认值
reset-tip = 最适合此模型的步数、引导强度和尺寸

## Issues
issue-out-of-range = { $field }必须在 { $min } 与 { $max } 之间
issue-not-a-number = { $field }必须是数字
issue-too-long = { $field }最多 { $max } 字节
issue-control = { $field }含有无法写入文件的字符

## Verdict
verdict-fits = 可行
verdict-fits-with = 可行，但较慢
verdict-short = 放不下
verdict-cannot-tell = 无法判断
verdict-invalid = 尚未就绪
verdict-peak = 峰值 { $peak } / { $budget } GiB
verdict-peak-mixed = 峰值 { $peak } / { $budget }
verdict-peak-only = 峰值 { $peak }
verdict-time = 约 { $time }
verdict-time-unknown = 时间未知
verdict-elsewhere = 在 { $machine } 上
verdict-line = 判定：{ $text }
verdict-short-by = { $phase }时{ $pool }不足 { $by }
verdict-short-hard = { $phase }时超出你的上限 { $by }
verdict-unknown-reading = { $pool }：{ $why }
verdict-run-anyway = 仍要绘制
verdict-run-anyway-tip = 可能拖慢一切或失败，由你决定。
verdict-run-anyway-sure = 确定绘制
verdict-run-anyway-sure-tip = 在缺少 { $by } 的情况下开始
verdict-elsewhere-note = 这是为另一台电脑做的规划
verdict-back = 回到本机

## Concessions, tiers, decodes
concession-phased = 逐个部分加载
concession-streamed = 逐块读取模型
concession-tiled = 以融合的分块解码
tier-resident = 常驻
tier-phased = 分阶段
tier-streamed = 流式
tier-resident-tip = 各次绘制之间全部保持加载
tier-phased-tip = 每次只加载模型的一个部分
tier-streamed-tip = 边计算边逐块读取模型
decode-whole = 整体
decode-tiled = 分块
choice-both = { $tier }，{ $decode }解码

## Pools
pool-host = 内存
pool-device = 显存
pool-commit = 已提交内存
pool-host-title = 内存
pool-device-title = 显存
pool-commit-title = 已提交内存

## Why a reading is unknown
unknown-missing = 没有任何响应
unknown-unreadable = 响应无法读取
unknown-zero = 读数为零
unknown-above-total = 可用大于总量
unknown-free-equals-total = 驱动未计入其他程序

## Remedies
remedy-size = 使用 { $size }
remedy-single = 一次一张
remedy-choice = 允许{ $choice }
remedy-raise-limit = 将上限提高到 { $bytes }
remedy-close-others = 或关闭占用 { $bytes } 的程序
remedy-grow-pagefile = 或让页面文件增长 { $bytes }
remedy-none = 再小也无济于事：此模型对这台电脑来说太大

## Phases
phase-load-text-encoder = 加载文本编码器
phase-encode = 读取提示词
phase-load-denoiser = 加载去噪器
phase-denoise = 绘制
phase-load-vae = 加载解码器
phase-decode = 解码
phase-save = 保存
phase-load-text-encoder-short = 加载文本
phase-encode-short = 文本
phase-load-denoiser-short = 加载
phase-denoise-short = 绘制
phase-load-vae-short = 加载 VAE
phase-decode-short = 解码
phase-save-short = 保存

## Terms of a need
term-text-encoder-weights = 文本编码器
term-denoiser-weights = 去噪器
term-vae-weights = 解码器
term-loras = LoRA
term-activations = 激活值
term-workspace = 工作区
term-embeddings = 嵌入
term-latents = 潜变量
term-pixels = 像素
term-staging = 暂存
term-runtime = 程序

## Memory strip
memory-label = 内存
gauge-others = 其他 { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = 此图片 { $bytes }
gauge-budget = 余量 { $bytes }
gauge-total = 共 { $bytes }
gauge-unknown = { $pool }：{ $why }
gauge-spoken = { $pool }：其他占用 { $others }，Headroom 占用 { $ours }，此图片峰值 { $peak }，余量 { $budget }，共 { $total }
gauge-others-name = 其他
gauge-ours-name = Headroom
gauge-peak-name = 此图片
gauge-room-name = 余量
timeline-label = 计划
timeline-spoken = 各阶段计划：{ $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = 计划 { $bytes }
timeline-measured = 实测 { $bytes }
timeline-compare = 计划 { $planned }，实测 { $measured }（{ $error }）
timeline-compare-short = 实测 { $measured }（{ $error }）
timeline-within = 低 { $percent } %
timeline-over = 高 { $percent } %
timeline-exact = 与计划一致
timeline-empty = 填写完整后，计划会显示在这里

## Viewer
empty-title = 想画什么？
empty-body = 在左侧写下，或从下面的例子开始。
empty-example = 绘制：{ $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = 图片：{ $prompt }
viewer-preview = 预览：{ $prompt }
viewer-step = 第 { $step } 步，共 { $steps } 步
viewer-picture-of = 第 { $n } 张，共 { $all } 张
viewer-elapsed = 已用 { $time }
viewer-left = 剩余 { $time }
viewer-progress = 进度：百分之 { $percent }
viewer-starting = 正在开始
viewer-stopping = 正在停止
viewer-loading = { $done } / { $total }
viewer-seed = 种子 { $seed }
viewer-steps = { $steps ->
   *[other] { $steps } 步
}
viewer-saving = 正在保存
viewer-saved = 已保存为 { $path }
viewer-unsaved = 未保存
viewer-reuse = 使用这些设置
viewer-reuse-tip = 将提示词、尺寸、种子等填入表单

## Queue and strip
queue-label = 队列
queue-empty = 没有等待的任务
queue-waiting = 等待中
queue-running = 绘制中
queue-held = 已搁置：{ $why }
queue-held-short = { $pool }不足 { $by }
queue-remove = 将“{ $prompt }”移出队列
queue-retry = 重试
queue-retry-tip = 按当前可用内存重新规划
queue-untitled = 无提示词
strip-label = 本次会话
strip-empty = 你的图片会出现在这里
strip-picture = 显示图片 { $n }：{ $prompt }

## Header
machine-label = 规划对象
machine-this = 本机
machine-named = 本机（{ $name }）
machine-tip = 查看另一台电脑能画什么

## Fit map
map-title = 能放下什么
map-body = 从 { $from } 到 { $to } 的所有尺寸。点击即可选用。
map-cell = { $size }：{ $verdict }
map-now = 当前 { $size }
map-label = 尺寸网格

## Settings
settings-title = 设置
settings-theme = 主题
settings-theme-system = 跟随系统
settings-theme-light = 浅色
settings-theme-dark = 深色
settings-language = 语言
settings-language-system = 跟随系统
settings-limit = 内存上限
settings-limit-on = 绝不超过
settings-limit-amount = 内存上限（GiB）
settings-limit-note = 上限是硬性的：放不下的任务不会开始。
shortcuts-title = 键盘

## Notices
notice-busy = 引擎的队列已满
notice-busy-hint = 图片会在此等待并自动开始。
notice-interrupted = 程序在绘制时结束了
notice-interrupted-hint = 这张图片不会自行重画，队列已暂停。请查看后再继续。
notice-queue-elsewhere = 队列由另一个 Headroom 窗口使用
notice-queue-unkept = 无法保存队列：{ $why }
notice-queue-unkept-hint = 在这里加入的任务会被绘制，但关闭此窗口后会丢失。
notice-refused = 已放不下：{ $what }
notice-refused-hint = 自你点击后内存被占用。它在队列中等待；请关闭一些程序后重试。
notice-replanned = 内存有变化：改用 { $tier }，而非 { $was }
notice-replanned-hint = 图片相同，只是耗时不同。
notice-save-failed = 图片无法保存：{ $why }
notice-save-failed-hint = 它仍在这里。请检查文件夹是否存在且可写。

## Failures
failure-cancelled = 已停止
failure-cancelled-hint = 没有丢失任何东西。点击“绘制”可重新开始。
failure-guard = 为保护内存已停止：{ $phase }
failure-guard-hint = 计划 { $planned }，实际占用 { $live }。请用更小的尺寸或关闭其他程序。
failure-refused = 放不下
failure-refused-hint = 没有加载任何内容。请采用给出的某项更改。
failure-model = 模型文件损坏或无法读取：{ $reason }
failure-model-hint = 请重新获取或选择其他模型。文件：{ $path }
failure-device = 此版本无法在 { $device } 上计算
failure-device-hint = 请改用处理器。
failure-nan = 模型产生了非数值：{ $phase }
failure-nan-hint = 换一个种子或更精确的权重通常有用。
failure-write = 图片无法写入：{ $reason }
failure-write-hint = 请检查可用空间和权限。路径：{ $path }
failure-crash = 引擎崩溃并已重新启动
failure-crash-hint = 队列和图片都安全。它的信息：{ $what }

## Layout and ways
cmd-ways = 所有绘制方式
cmd-ways-tip = 比较各方式的内存、时间及是否可行
cmd-side = 显示或隐藏队列与图片
cmd-side-tip = 显示或隐藏队列与图片
cmd-memory = 显示或隐藏内存条
cmd-memory-tip = 显示或隐藏内存条
cmd-zoom-in = 放大
cmd-zoom-out = 缩小
cmd-zoom-reset = 默认大小
cmd-zoom-tip = 窗口内所有内容的大小
ways-title = 绘制此图片的所有方式
ways-body = 自动采用可行的最快方式。点击某一项则只允许该方式；图片相同，只有融合分块略有差异。
ways-automatic = 自动
ways-automatic-tip = 采用可行的最快方式
ways-pinned = 仅{ $choice }
ways-tier = 方式
ways-decode = 解码
ways-time = 时间
ways-verdict = 判定
ways-row = 以此方式绘制：{ $facts }
percent = { $n }%
settings-zoom = 显示大小
settings-zoom-choose = 以百分之 { $percent } 显示
pane-form = 绘制内容
pane-viewer = 图片
pane-side = 队列与图片
machine-own-files = 将机器文件拖到窗口即可添加

## Dropped, opened, pasted
cmd-open = 打开文件
cmd-open-tip = 含设置的图片、模型、机器文件；拖到窗口上效果相同
drop-title = 松开即可接收
drop-looking = 正在查看
drop-settings = 其设置将填入表单
drop-machine = 为 { $name } 规划
drop-model = 添加此模型：{ $family }，{ $bytes }
drop-nothing = 没有可接收的内容：{ $why }
drop-more = { $count ->
   *[other] 还有 { $count } 个
}
notice-restored = 已取用 { $name } 的设置
notice-restored-text = 已取用粘贴文本中的设置
notice-restored-hint = 其中的内容现已全部填入表单。
notice-restored-left = 未取用：{ $left }
notice-model-absent = 没有模型“{ $model }”
notice-model-absent-hint = 表单中的模型保持不变。将模型拖到窗口即可添加。
notice-machine-added = 正在为 { $name } 规划
notice-machine-added-hint = 它会保留在电脑列表中。
notice-model-added = 已添加模型：{ $name }
notice-model-added-hint = 现已选用，并采用其自身的尺寸和步数。
notice-not-taken = 未从 { $name } 取用任何内容
notice-not-taken-text = 未从粘贴的文本取用任何内容
notice-not-taken-hint = 一次来得太多。请稍后再试。
notice-too-many = { $most ->
   *[other] 一次最多接收 { $most } 个文件
}
notice-too-many-hint = 其余的已略过。
drop-unknown = 这里无法接收它
notice-not-known-hint = Headroom 接收含设置的图片、模型和机器文件。

## Queue, seeds, undo
cmd-first = 下一个绘制
cmd-first-tip = 排在所有等待的任务之前
cmd-pause = 暂停队列
cmd-pause-tip = 正在绘制的会完成，不再开始新的
cmd-undo = 撤销
cmd-undo-tip = 撤销表单的上一次更改
cmd-redo = 重做
cmd-redo-tip = 重新应用被撤销的更改
prompt-bracket = 有括号没有配对
seed-fixed = 保留此种子
seed-fixed-tip = 相同的种子会得到相同的图片
seed-counting = 种子递增
seed-counting-tip = 每次从上次结束处继续
runs-label = 次数
runs-tip = 一次点击下单多少次，每次使用下一个种子
queue-go-on = 继续队列
queue-clear = 清空等待的任务
queue-paused = 已暂停：不再开始新的任务
queue-first = 下一个绘制“{ $prompt }”
queue-up = 上移“{ $prompt }”
queue-down = 下移“{ $prompt }”

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = 无法打开窗口：{ $why }
prompt-literal = 此模型把括号当作文字，而不是权重
distilled-label = 蒸馏引导
distilled-tip = 图像遵循提示词的程度，用于以此为输入的模型；不花时间
rng-label = 噪声
rng-tip = 种子对应谁的随机数：CPU 与 ComfyUI、InvokeAI 相同，NV 与 A1111 相同
issue-not-offered = { $field }：此选项不适用于此模型
concession-banded = 按条带解码
decode-banded = 条带
term-text-encoder-2-weights = 文本编码器 2
term-text-encoder-3-weights = 文本编码器 3
memory-spread = 最近 { $runs } 次：{ $low } .. { $high } %
memory-spread-tip = 预测比实测高多少
queue-kept = 已保留 { $all } 步中的 { $done } 步
queue-stopped = 已停止
queue-interrupted = 已中断：程序结束时正在绘制
queue-resume = 继续
queue-resume-tip = 用现在空闲的内存从保留的步骤继续
failure-out-of-memory = 内存不足：{ $phase }
failure-out-of-memory-hint = 还需要 { $bytes }，但没有。已算出的内容会保留。
failure-spilled = 在显卡溢出到内存之前停止：{ $phase }
failure-spilled-hint = 驱动已开始把 { $shared } 移到电脑内存。已算出的内容会保留。
failure-died = 绘图进程已结束：{ $phase }
failure-died-start = 绘图进程在启动时结束
failure-died-hint = 它占用 { $live }，计划为 { $planned }。窗口和队列不受影响，已算出的内容会保留。
death-killed = 它被外部结束，多半是系统在内存不足时所为。
death-allocation = 它再要 { $bytes } 内存，被拒绝了。
death-commit = 系统无法再承诺更多内存。
death-fault = 它访问了不存在的内存：驱动或本程序的错误。
death-aborted = 它自行终止。
death-code = 系统报告 { $code }。
