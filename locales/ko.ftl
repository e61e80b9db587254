# 한국어.

app-name = Headroom
language-name = 한국어

## Commands: name and tooltip
cmd-generate = 그리기
cmd-generate-tip = 이 그림을 그립니다
cmd-queue = 대기열에 추가
cmd-queue-tip = 이미 기다리는 그림들 다음에 그립니다
cmd-stop = 중지
cmd-stop-tip = 그리기를 멈춥니다. 완성된 그림은 남습니다
cmd-settings = 설정
cmd-settings-tip = 테마, 언어, 메모리 제한
cmd-shortcuts = 키보드 단축키
cmd-shortcuts-tip = 키보드로 할 수 있는 모든 것
cmd-focus-prompt = 프롬프트 편집
cmd-focus-prompt-tip = 프롬프트에 커서를 둡니다
cmd-fit-map = 크기 지도
cmd-fit-map-tip = 모든 크기를 한눈에, 비용에 따라 색으로 표시
cmd-swap = 너비와 높이 바꾸기
cmd-swap-tip = 세로와 가로를 서로 바꿉니다
cmd-random-seed = 새 시드
cmd-random-seed-tip = 다른 시드를 뽑아 고정합니다
cmd-older = 이전 그림
cmd-older-tip = 앞의 그림을 보여 줍니다
cmd-newer = 다음 그림
cmd-newer-tip = 뒤의 그림을 보여 줍니다
cmd-theme = 밝게/어둡게 전환
cmd-theme-tip = 밝게/어둡게 전환

## Words used in many places
close = 닫기
dismiss = 숨기기
not-known = 알 수 없음
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = 1초 미만
time-seconds = { $s }초
time-minutes = { $m }분
time-minutes-seconds = { $m }분 { $s }초
time-hours = { $h }시간
time-hours-minutes = { $h }시간 { $m }분
size-pixels = { $width } × { $height }

## Prompt
prompt-label = 프롬프트
prompt-hint = 무엇을 그릴까요?
negative-label = 네거티브 프롬프트
negative-hint = 그림에 없어야 할 것
model-label = 모델
family-builtin = 내장
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = 크기
width-label = 너비
height-label = 높이
width-exact = 정확한 너비
height-exact = 정확한 높이
slider-verdict = { $label }: { $value }픽셀, { $verdict }
aspect-choose = 비율 { $ratio }
aspect-lock = 비율 고정
aspect-lock-tip = 끌 때 너비와 높이의 비율을 유지합니다
size-native = 기본 크기
size-native-tip = 이 모델이 만들어진 크기: { $size }
size-largest = 가능한 최대 크기
size-largest-tip = 이 비율에서 들어가는 가장 큰 크기
size-snapped = { $to }(으)로 그림
size-snapped-tip = 이 모델은 { $multiple }픽셀의 배수로 그리므로 가장 가까운 크기를 씁니다

## Sampling
steps-label = 스텝
guidance-label = 가이던스
guidance-tip = 프롬프트를 얼마나 따를지. 1은 끔
seed-label = 시드
seed-random = 무작위 시드
seed-random-tip = 그림마다 새 시드를 씁니다
more-label = 더 보기
batch-label = 그림 수
batch-tip = 한 번에 몇 장, 각각 다음 시드로 그립니다
sampler-label = 샘플러
denoise-label = 노이즈 제거 정도
schedule-label = 스케줄
reset-label = 모델 기본값
reset-tip = 이 모델에 가장 알맞은 스텝, 가이던스, 크기

## Issues
issue-out-of-range = { $field }: { $min }에서 { $max } 사이여야 합니다
issue-not-a-number = { $field }: 숫자여야 합니다
issue-too-long = { $field }: 최대 { $max }바이트
issue-control = { $field }: 파일에 담을 수 없는 문자가 있습니다

## Verdict
verdict-fits = 들어감
verdict-fits-with = 들어가지만 느림
verdict-short = 들어가지 않음
verdict-cannot-tell = 알 수 없음
verdict-invalid = 준비되지 않음
verdict-peak = 최대 { $peak } / { $budget } GiB
verdict-peak-mixed = 최대 { $peak } / { $budget }
verdict-peak-only = 최대 { $peak }
verdict-time = 약 { $time }
verdict-time-unknown = 시간은 아직 모름
verdict-elsewhere = { $machine } 기준
verdict-line = 판정: { $text }
verdict-short-by = { $phase }: { $pool } { $by } 부족
verdict-short-hard = { $phase }: 직접 정한 한도를 { $by } 초과
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = 그래도 그리기
verdict-run-anyway-tip = 모든 것이 느려지거나 실패할 수 있습니다. 선택은 당신의 몫입니다.
verdict-run-anyway-sure = 정말로 그리기
verdict-run-anyway-sure-tip = { $by }이(가) 부족한 채로 시작합니다
verdict-elsewhere-note = 다른 컴퓨터를 위한 계획입니다
verdict-back = 이 컴퓨터로 돌아가기

## Concessions, tiers, decodes
concession-phased = 한 부분씩 불러옴
concession-streamed = 모델을 블록씩 읽음
concession-tiled = 겹친 타일로 디코딩함
tier-resident = 상주
tier-phased = 단계별
tier-streamed = 스트리밍
tier-resident-tip = 그림 사이에도 모두 불러온 채로 있습니다
tier-phased-tip = 모델의 한 부분만 불러옵니다
tier-streamed-tip = 계산하면서 모델을 블록씩 읽습니다
decode-whole = 전체
decode-tiled = 타일
choice-both = { $tier }, { $decode } 디코딩

## Pools
pool-host = 메모리
pool-device = 그래픽 메모리
pool-commit = 커밋된 메모리
pool-host-title = 메모리
pool-device-title = 그래픽 메모리
pool-commit-title = 커밋된 메모리

## Why a reading is unknown
unknown-missing = 응답하는 것이 없습니다
unknown-unreadable = 응답을 읽을 수 없습니다
unknown-zero = 0으로 읽힙니다
unknown-above-total = 남은 양이 전체보다 많습니다
unknown-free-equals-total = 드라이버가 다른 프로그램을 세지 않습니다

## Remedies
remedy-size = { $size } 사용
remedy-single = 한 번에 한 장씩
remedy-choice = { $choice } 허용
remedy-raise-limit = 한도를 { $bytes }(으)로 올리기
remedy-close-others = 또는 { $bytes }을(를) 쓰는 프로그램을 닫기
remedy-grow-pagefile = 또는 페이지 파일을 { $bytes } 늘리기
remedy-none = 더 작게 해도 소용없습니다. 이 모델은 이 컴퓨터에 너무 큽니다

## Phases
phase-load-text-encoder = 텍스트 인코더 불러오기
phase-encode = 프롬프트 읽기
phase-load-denoiser = 디노이저 불러오기
phase-denoise = 그리기
phase-load-vae = 디코더 불러오기
phase-decode = 디코딩
phase-save = 저장
phase-load-text-encoder-short = 텍스트 로드
phase-encode-short = 텍스트
phase-load-denoiser-short = 로드
phase-denoise-short = 그리기
phase-load-vae-short = VAE 로드
phase-decode-short = 디코딩
phase-save-short = 저장

## Terms of a need
term-text-encoder-weights = 텍스트 인코더
term-denoiser-weights = 디노이저
term-vae-weights = 디코더
term-loras = LoRA
term-activations = 활성값
term-workspace = 작업 공간
term-embeddings = 임베딩
term-latents = 잠재값
term-pixels = 픽셀
term-staging = 임시 버퍼
term-runtime = 프로그램

## Memory strip
memory-label = 메모리
gauge-others = 다른 프로그램 { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = 이 그림 { $bytes }
gauge-budget = 여유 { $bytes }
gauge-total = 전체 { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: 다른 프로그램 { $others }, Headroom { $ours }, 이 그림 최대 { $peak }, 여유 { $budget }, 전체 { $total }
gauge-others-name = 다른 프로그램
gauge-ours-name = Headroom
gauge-peak-name = 이 그림
gauge-room-name = 여유
timeline-label = 계획
timeline-spoken = 단계별 계획: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = 예상 { $bytes }
timeline-measured = 측정 { $bytes }
timeline-compare = 예상 { $planned }, 측정 { $measured } ({ $error })
timeline-compare-short = 측정 { $measured } ({ $error })
timeline-within = { $percent } % 적음
timeline-over = { $percent } % 많음
timeline-exact = 예상대로
timeline-empty = 모두 채우면 여기에 계획이 나타납니다

## Viewer
empty-title = 무엇을 그릴까요?
empty-body = 왼쪽에 쓰거나 아래 예로 시작하세요.
empty-example = 그리기: { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = 그림: { $prompt }
viewer-preview = 미리 보기: { $prompt }
viewer-step = 스텝 { $step } / { $steps }
viewer-picture-of = 그림 { $n } / { $all }
viewer-elapsed = { $time } 지남
viewer-left = { $time } 남음
viewer-progress = 진행률: { $percent }퍼센트
viewer-starting = 시작하는 중
viewer-stopping = 멈추는 중
viewer-loading = { $done } / { $total }
viewer-seed = 시드 { $seed }
viewer-steps = { $steps ->
   *[other] { $steps }스텝
}
viewer-saving = 저장하는 중
viewer-saved = { $path }(으)로 저장됨
viewer-unsaved = 저장되지 않음
viewer-reuse = 이 설정 사용
viewer-reuse-tip = 프롬프트, 크기, 시드 등을 양식에 넣습니다

## Queue and strip
queue-label = 대기열
queue-empty = 기다리는 것이 없습니다
queue-waiting = 대기 중
queue-running = 그리는 중
queue-held = 보류: { $why }
queue-held-short = { $pool } { $by } 부족
queue-remove = “{ $prompt }”을(를) 대기열에서 빼기
queue-retry = 다시 시도
queue-retry-tip = 지금 남은 메모리로 다시 계획합니다
queue-untitled = 프롬프트 없음
strip-label = 이번 세션
strip-empty = 그린 그림이 여기에 모입니다
strip-picture = 그림 { $n } 보기: { $prompt }

## Header
machine-label = 계획 대상
machine-this = 이 컴퓨터
machine-named = 이 컴퓨터 ({ $name })
machine-tip = 다른 컴퓨터가 무엇을 그릴 수 있는지 봅니다

## Fit map
map-title = 무엇이 들어가는지
map-body = { $from }부터 { $to }까지 모든 크기. 누르면 선택됩니다.
map-cell = { $size }: { $verdict }
map-now = 지금 { $size }
map-label = 크기 격자

## Settings
settings-title = 설정
settings-theme = 테마
settings-theme-system = 시스템
settings-theme-light = 밝게
settings-theme-dark = 어둡게
settings-language = 언어
settings-language-system = 시스템
settings-limit = 메모리 제한
settings-limit-on = 이보다 더 쓰지 않기
settings-limit-amount = 메모리 제한 (GiB)
settings-limit-note = 제한은 엄격합니다. 들어가지 않는 것은 시작되지 않습니다.
shortcuts-title = 키보드

## Notices
notice-busy = 엔진의 대기열이 가득 찼습니다
notice-busy-hint = 그림은 여기서 기다렸다가 저절로 시작됩니다.
notice-interrupted = 그리는 도중에 프로그램이 멈추었습니다
notice-interrupted-hint = 그 그림은 저절로 다시 그려지지 않으며 대기열은 일시 정지되었습니다. 확인한 뒤 계속하세요.
notice-queue-elsewhere = 다른 Headroom 창이 대기열을 관리합니다
notice-queue-unkept = 대기열을 보관할 수 없습니다: { $why }
notice-queue-unkept-hint = 여기서 요청한 것은 그려지지만 이 창을 닫으면 남지 않습니다.
notice-refused = 더 이상 들어가지 않습니다: { $what }
notice-refused-hint = 요청한 뒤에 메모리가 쓰였습니다. 대기열에서 기다리고 있으니 무언가를 닫고 다시 시도하세요.
notice-replanned = 메모리가 바뀌었습니다: { $was } 대신 { $tier }
notice-replanned-hint = 그림은 같고 걸리는 시간만 다릅니다.
notice-save-failed = 그림을 저장하지 못했습니다: { $why }
notice-save-failed-hint = 그림은 아직 여기 있습니다. 폴더가 있고 쓸 수 있는지 확인하세요.

## Failures
failure-cancelled = 멈췄습니다
failure-cancelled-hint = 잃은 것은 없습니다. “그리기”를 누르면 다시 시작합니다.
failure-guard = 메모리를 지키려고 멈췄습니다: { $phase }
failure-guard-hint = 예상 { $planned }에 { $live }이(가) 쓰였습니다. 더 작은 크기를 쓰거나 다른 프로그램을 닫으세요.
failure-refused = 들어가지 않습니다
failure-refused-hint = 아무것도 불러오지 않았습니다. 제안된 방법 중 하나를 고르세요.
failure-model = 모델 파일이 손상되었거나 읽을 수 없습니다: { $reason }
failure-model-hint = 다시 받거나 다른 모델을 고르세요. 파일: { $path }
failure-device = 이 빌드는 { $device }에서 계산할 수 없습니다
failure-device-hint = 대신 프로세서를 고르세요.
failure-nan = 모델이 숫자가 아닌 값을 냈습니다: { $phase }
failure-nan-hint = 다른 시드나 더 정밀한 가중치가 보통 도움이 됩니다.
failure-write = 그림을 쓰지 못했습니다: { $reason }
failure-write-hint = 남은 공간과 권한을 확인하세요. 경로: { $path }
failure-crash = 엔진이 멈춰 다시 시작되었습니다
failure-crash-hint = 대기열과 그림은 안전합니다. 메시지: { $what }

## Layout and ways
cmd-ways = 그리는 모든 방법
cmd-ways-tip = 방식별 메모리, 시간, 들어가는지 비교합니다
cmd-side = 대기열과 그림 보이기/숨기기
cmd-side-tip = 대기열과 그림 보이기/숨기기
cmd-memory = 메모리 띠 보이기/숨기기
cmd-memory-tip = 메모리 띠 보이기/숨기기
cmd-zoom-in = 크게
cmd-zoom-out = 작게
cmd-zoom-reset = 보통 크기
cmd-zoom-tip = 창 안 모든 것의 크기
ways-title = 이 그림을 그리는 모든 방법
ways-body = 들어가는 것 중 가장 빠른 방법을 씁니다. 누르면 그것만 허용합니다. 그림은 같고, 겹친 타일만 조금 다릅니다.
ways-automatic = 자동
ways-automatic-tip = 들어가는 가장 빠른 방법을 씁니다
ways-pinned = { $choice }만
ways-tier = 방식
ways-decode = 디코딩
ways-time = 시간
ways-verdict = 판정
ways-row = 이렇게 그리기: { $facts }
percent = { $n }%
settings-zoom = 모든 것의 크기
settings-zoom-choose = { $percent }퍼센트로 보기
pane-form = 무엇을 그릴지
pane-viewer = 그림
pane-side = 대기열과 그림
machine-own-files = 컴퓨터 파일을 창에 끌어다 놓으면 추가됩니다

## Dropped, opened, pasted
cmd-open = 파일 열기
cmd-open-tip = 설정이 든 그림, 모델, 컴퓨터 파일. 창에 끌어다 놓아도 같습니다
drop-title = 놓으면 가져옵니다
drop-looking = 살펴보는 중
drop-settings = 설정이 양식에 들어갑니다
drop-machine = { $name } 기준으로 계획합니다
drop-model = 이 모델 추가: { $family }, { $bytes }
drop-nothing = 가져올 것이 없습니다: { $why }
drop-more = { $count ->
   *[other] 외 { $count }개
}
notice-restored = { $name }에서 설정을 가져왔습니다
notice-restored-text = 붙여 넣은 글에서 설정을 가져왔습니다
notice-restored-hint = 담긴 내용이 모두 양식에 들어갔습니다.
notice-restored-left = 가져오지 못한 것: { $left }
notice-model-absent = “{ $model }” 모델이 없습니다
notice-model-absent-hint = 양식의 모델은 그대로입니다. 모델을 창에 끌어다 놓으면 추가됩니다.
notice-machine-added = { $name } 기준으로 계획합니다
notice-machine-added-hint = 컴퓨터 목록에 남습니다.
notice-model-added = 모델을 추가했습니다: { $name }
notice-model-added-hint = 선택되었으며, 크기와 스텝도 맞췄습니다.
notice-not-taken = { $name }에서 가져온 것이 없습니다
notice-not-taken-text = 붙여 넣은 글에서 가져온 것이 없습니다
notice-not-taken-hint = 한꺼번에 너무 많았습니다. 잠시 후 다시 시도하세요.
notice-too-many = { $most ->
   *[other] 한 번에 { $most }개까지만 가져옵니다
}
notice-too-many-hint = 나머지는 제외했습니다.
drop-unknown = 여기서 다룰 수 없는 것입니다
notice-not-known-hint = Headroom은 설정이 든 그림, 모델, 컴퓨터 파일을 가져옵니다.

## Queue, seeds, undo
cmd-first = 다음으로 그리기
cmd-first-tip = 기다리는 모든 것보다 먼저 그립니다
cmd-pause = 대기열 일시 정지
cmd-pause-tip = 그리던 것은 마치고 더는 시작하지 않습니다
cmd-undo = 실행 취소
cmd-undo-tip = 양식의 마지막 변경을 되돌립니다
cmd-redo = 다시 실행
cmd-redo-tip = 되돌린 변경을 다시 적용합니다
prompt-bracket = 짝이 없는 괄호가 있습니다
seed-fixed = 이 시드 유지
seed-fixed-tip = 같은 시드는 같은 그림을 다시 만듭니다
seed-counting = 시드 증가
seed-counting-tip = 매번 지난번이 끝난 곳에서 이어 갑니다
runs-label = 횟수
runs-tip = 한 번 클릭에 몇 번 그릴지, 매번 다음 시드로 그립니다
queue-go-on = 대기열 계속
queue-clear = 기다리는 것을 모두 빼기
queue-paused = 일시 정지: 더는 시작하지 않습니다
queue-first = “{ $prompt }” 다음으로 그리기
queue-up = “{ $prompt }” 앞으로
queue-down = “{ $prompt }” 뒤로

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = 창을 열 수 없습니다: { $why }
prompt-literal = 이 모델은 괄호를 가중치가 아니라 글자로 읽습니다
distilled-label = 증류 가이던스
distilled-tip = 그림이 프롬프트를 얼마나 따르는지. 이를 입력으로 받는 모델용이며 시간이 들지 않습니다
rng-label = 노이즈
rng-tip = 시드가 어느 난수를 뜻하는지: CPU는 ComfyUI와 InvokeAI, NV는 A1111과 같음
issue-not-offered = { $field }: 이 선택은 이 모델에 맞지 않습니다
concession-banded = 띠 단위로 디코딩합니다
decode-banded = 띠 단위
term-text-encoder-2-weights = 텍스트 인코더 2
term-text-encoder-3-weights = 텍스트 인코더 3
memory-spread = 최근 { $runs }회: { $low } .. { $high } %
memory-spread-tip = 예측이 측정보다 얼마나 컸는지
queue-kept = { $all }단계 중 { $done }단계 보관
queue-stopped = 멈춤
queue-interrupted = 중단됨: 프로그램이 멈추었을 때 실행 중이었음
queue-resume = 계속
queue-resume-tip = 보관된 단계부터 지금 비어 있는 메모리로 계속합니다
failure-out-of-memory = 메모리 부족: { $phase }
failure-out-of-memory-hint = { $bytes }가 더 필요했지만 없었습니다. 계산한 것은 보관됩니다.
failure-spilled = 그래픽 카드가 메모리로 넘치기 전에 멈춤: { $phase }
failure-spilled-hint = 드라이버가 { $shared }를 컴퓨터 메모리로 옮기기 시작했습니다. 계산한 것은 보관됩니다.
failure-died = 그리기 프로세스가 끝났습니다: { $phase }
failure-died-start = 그리기 프로세스가 시작할 때 끝났습니다
failure-died-hint = { $live }를 쓰고 있었고 계획은 { $planned }였습니다. 창과 대기열은 그대로이고 계산한 것은 보관됩니다.
death-killed = 밖에서 끝냈습니다. 대개 메모리가 모자랄 때 시스템이 합니다.
death-allocation = 메모리 { $bytes }를 더 요청했지만 거절되었습니다.
death-commit = 시스템이 메모리를 더 약속할 수 없었습니다.
death-fault = 없는 메모리를 건드렸습니다. 드라이버나 이 프로그램의 오류입니다.
death-aborted = 스스로 끝냈습니다.
death-code = 시스템 보고: { $code }
