# English, the source. One message a line where it can be; ids are grouped by the place where they are read.

app-name = Headroom
language-name = English
app-no-window = The window could not be opened: { $why }

## Commands: name and tooltip
cmd-generate = Generate
cmd-generate-tip = Draw this picture
cmd-queue = Add to queue
cmd-queue-tip = Draw this one after the pictures that wait already
cmd-stop = Stop
cmd-stop-tip = Stop drawing; pictures already finished stay
cmd-settings = Settings
cmd-settings-tip = Theme, language and memory limit
cmd-shortcuts = Keyboard shortcuts
cmd-shortcuts-tip = Everything that the keyboard does
cmd-focus-prompt = Edit the prompt
cmd-focus-prompt-tip = Put the cursor into the prompt
cmd-fit-map = Fit map
cmd-fit-map-tip = Every size at a glance, coloured by what it takes
cmd-swap = Swap width and height
cmd-swap-tip = Turn the picture from portrait to landscape or back
cmd-random-seed = New seed
cmd-random-seed-tip = Roll another seed and keep it
cmd-older = Older picture
cmd-older-tip = Show the picture before this one
cmd-newer = Newer picture
cmd-newer-tip = Show the picture after this one
cmd-theme = Switch between light and dark
cmd-theme-tip = Switch between light and dark

## Words used in many places
close = Close
dismiss = Dismiss
not-known = not known
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = under 1 s
time-seconds = { $s } s
time-minutes = { $m } min
time-minutes-seconds = { $m } min { $s } s
time-hours = { $h } h
time-hours-minutes = { $h } h { $m } min
size-pixels = { $width } × { $height }

## Prompt
prompt-label = Prompt
prompt-literal = This model reads brackets as text, not as weights
prompt-hint = What should we draw?
negative-label = Negative prompt
negative-hint = What should stay out of the picture
model-label = Model
family-builtin = Built in
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell

## Size
size-label = Size
width-label = Width
height-label = Height
width-exact = Exact width
height-exact = Exact height
slider-verdict = { $label }: { $value } pixels, { $verdict }
aspect-choose = { $ratio } aspect ratio
aspect-lock = Lock the aspect ratio
aspect-lock-tip = Keep the ratio of width to height while you drag
size-native = Native
size-native-tip = The size that this model was made for: { $size }
size-largest = Largest that fits
size-largest-tip = The largest size of this aspect ratio that fits
size-snapped = Draws { $to }
size-snapped-tip = This model draws multiples of { $multiple } pixels; the nearest size is taken

## Sampling
steps-label = Steps
guidance-label = Guidance
guidance-tip = How closely to follow the prompt; 1 is off
distilled-label = Distilled guidance
distilled-tip = How closely the picture follows the prompt, for models that take this as an input; costs no time
seed-label = Seed
seed-random = Random seed
seed-random-tip = Draw a new seed for each picture
more-label = More
batch-label = Pictures
batch-tip = How many pictures at once, each with the next seed
sampler-label = Sampler
denoise-label = Denoise strength
schedule-label = Schedule
rng-label = Noise
rng-tip = Whose random numbers a seed stands for: CPU as in ComfyUI and InvokeAI, NV as in A1111
reset-label = Defaults of this model
reset-tip = Steps, guidance and size as this model likes them best

## Issues
issue-out-of-range = { $field } must be between { $min } and { $max }
issue-not-a-number = { $field } must be a number
issue-not-offered = { $field }: this choice does not go with this model
issue-too-long = { $field } may have at most { $max } bytes
issue-control = { $field } holds a character that no file can carry

## Verdict
verdict-fits = Fits
verdict-fits-with = Fits, slower
verdict-short = Does not fit
verdict-cannot-tell = Cannot tell
verdict-invalid = Not ready
verdict-peak = peak { $peak } of { $budget } GiB
verdict-peak-mixed = peak { $peak } of { $budget }
verdict-peak-only = peak { $peak }
verdict-time = about { $time }
verdict-time-unknown = time not known yet
verdict-elsewhere = on { $machine }
verdict-line = Verdict: { $text }
verdict-short-by = { $by } too much in { $pool } while { $phase }
verdict-short-hard = { $by } over your own limit while { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Run anyway
verdict-run-anyway-tip = It may slow everything down or fail. Your click, your call.
verdict-run-anyway-sure = Really run it
verdict-run-anyway-sure-tip = Starts a run that needs { $by } more than there is
verdict-elsewhere-note = Planned for another machine
verdict-back = Back to this machine

## Concessions, tiers, decodes
concession-phased = loads one part at a time
concession-streamed = reads the model block by block
concession-banded = decodes band by band
concession-tiled = decodes in blended tiles
tier-resident = resident
tier-phased = phased
tier-streamed = streamed
tier-resident-tip = Everything stays loaded between runs
tier-phased-tip = One part of the model is loaded at a time
tier-streamed-tip = The model is read block by block while it computes
decode-whole = whole
decode-banded = banded
decode-tiled = tiled
choice-both = { $tier }, { $decode } decode

## Pools
pool-host = memory
pool-device = graphics memory
pool-commit = committed memory
pool-host-title = Memory
pool-device-title = Graphics memory
pool-commit-title = Committed memory

## Why a reading is unknown
unknown-missing = nothing here answers
unknown-unreadable = the answer could not be read
unknown-zero = reads zero
unknown-above-total = more free than there is
unknown-free-equals-total = the driver does not count other programs

## Remedies
remedy-size = Use { $size }
remedy-single = One picture at a time
remedy-choice = Allow { $choice }
remedy-raise-limit = Raise the limit to { $bytes }
remedy-close-others = Or close programs that hold { $bytes }
remedy-grow-pagefile = Or let the page file grow by { $bytes }
remedy-none = Nothing smaller helps: this model is too large for this machine

## Phases
phase-load-text-encoder = loading the text encoder
phase-encode = reading the prompt
phase-load-denoiser = loading the denoiser
phase-denoise = drawing
phase-load-vae = loading the decoder
phase-decode = decoding
phase-save = saving
phase-load-text-encoder-short = Load text
phase-encode-short = Prompt
phase-load-denoiser-short = Load
phase-denoise-short = Draw
phase-load-vae-short = Load VAE
phase-decode-short = Decode
phase-save-short = Save

## Terms of a need
term-text-encoder-weights = Text encoder
term-text-encoder-2-weights = Text encoder 2
term-text-encoder-3-weights = Text encoder 3
term-denoiser-weights = Denoiser
term-vae-weights = Decoder
term-loras = LoRA
term-activations = Activations
term-workspace = Workspace
term-embeddings = Embeddings
term-latents = Latents
term-pixels = Pixels
term-staging = Staging
term-runtime = Program

## Memory strip
memory-label = Memory
gauge-others = others { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = this picture { $bytes }
gauge-budget = room { $bytes }
gauge-total = of { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: others hold { $others }, Headroom holds { $ours }, this picture peaks at { $peak }, there is room for { $budget }, { $total } in all
gauge-others-name = Others
gauge-ours-name = Headroom
gauge-peak-name = This picture
gauge-room-name = Room
timeline-label = Plan
timeline-spoken = Plan by phase: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = planned { $bytes }
timeline-measured = measured { $bytes }
timeline-compare = Planned { $planned }, measured { $measured } ({ $error })
timeline-compare-short = Measured { $measured } ({ $error })
timeline-within = { $percent } % under
timeline-over = { $percent } % over
timeline-exact = as planned
timeline-empty = The plan appears here once the form is complete

## Viewer
empty-title = What should we draw?
empty-body = Write it on the left, or start with one of these.
empty-example = Draw { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Picture: { $prompt }
viewer-preview = Preview of { $prompt }
viewer-step = Step { $step } of { $steps }
viewer-picture-of = Picture { $n } of { $all }
viewer-elapsed = { $time } so far
viewer-left = { $time } left
viewer-progress = Progress: { $percent } percent
viewer-starting = Starting
viewer-stopping = Stopping
viewer-loading = { $done } of { $total }
viewer-seed = seed { $seed }
viewer-steps = { $steps ->
    [one] 1 step
   *[other] { $steps } steps
}
viewer-saving = saving
viewer-saved = Saved as { $path }
viewer-unsaved = Not saved
viewer-reuse = Use these settings
viewer-reuse-tip = Put prompt, size, seed and all into the form

## Queue and strip
queue-label = Queue
queue-empty = Nothing waits
queue-waiting = waiting
queue-running = drawing
queue-held = held: { $why }
queue-held-short = { $by } too much in { $pool }
queue-remove = Take “{ $prompt }” out of the queue
queue-retry = Try again
queue-retry-tip = Plan it again with the memory that is free now
memory-spread = { $runs ->
    [one] Last run: { $low } %
   *[other] Last { $runs } runs: { $low } .. { $high } %
}
memory-spread-tip = How far predictions lay above what was measured
queue-kept = { $done } of { $all } steps kept
queue-stopped = stopped
queue-interrupted = interrupted: it ran when the program ended
queue-resume = Go on
queue-resume-tip = Go on from the kept step, with the memory that is free now
queue-untitled = no prompt
strip-label = This session
strip-empty = Your pictures gather here
strip-picture = Show picture { $n }: { $prompt }

## Header
machine-label = Plan for
machine-this = This machine
machine-named = This machine ({ $name })
machine-tip = See what another machine could draw

## Fit map
map-title = What fits
map-body = Every size from { $from } to { $to }. Click one to take it.
map-cell = { $size }: { $verdict }
map-now = now { $size }
map-label = Fit map grid

## Settings
settings-title = Settings
settings-theme = Theme
settings-theme-system = System
settings-theme-light = Light
settings-theme-dark = Dark
settings-language = Language
settings-language-system = System
settings-limit = Memory limit
settings-limit-on = Never use more than
settings-limit-amount = Memory limit in GiB
settings-limit-note = A limit is hard: what does not fit is never started.
shortcuts-title = Keyboard

## Notices
notice-busy = The queue of the worker is full
notice-busy-hint = The picture waits here and starts on its own.
notice-interrupted = The program ended while it was drawing
notice-interrupted-hint = That picture is not drawn again by itself, and the queue is paused. Look at it, then go on.
notice-queue-elsewhere = Another window of Headroom keeps the queue
notice-queue-unkept = The queue cannot be kept: { $why }
notice-queue-unkept-hint = What you order here is drawn, but forgotten when this window closes.
notice-refused = Does not fit any more: { $what }
notice-refused-hint = Memory was taken since you asked. It waits in the queue; close something and try again.
notice-replanned = Memory changed: drawing { $tier } instead of { $was }
notice-replanned-hint = The picture is the same, only the time differs.
notice-save-failed = The picture could not be saved: { $why }
notice-save-failed-hint = It is still here in the strip. Check that the folder exists and can be written.

## Failures
failure-cancelled = Stopped
failure-cancelled-hint = Nothing was lost. Press Generate to draw again.
failure-guard = Stopped to protect your memory while { $phase }
failure-guard-hint = { $live } were held where { $planned } were planned. Try a smaller size or close other programs.
failure-refused = Does not fit
failure-refused-hint = Nothing was loaded. Take one of the offered changes.
failure-model = The model file is bad or cannot be read: { $reason }
failure-model-hint = Get it again, or choose another model. File: { $path }
failure-device = This build cannot run on { $device }
failure-device-hint = Choose the processor instead.
failure-nan = The model produced values that are not numbers while { $phase }
failure-nan-hint = Another seed or more precise weights usually help.
failure-write = The picture could not be written: { $reason }
failure-write-hint = Check free space and permissions. Path: { $path }
failure-crash = The engine crashed and was started again
failure-crash-hint = Your queue and pictures are safe. What it said: { $what }

failure-out-of-memory = Out of memory while { $phase }
failure-out-of-memory-hint = { $bytes } more were asked for and not there. What was worked out is kept.
failure-spilled = Stopped before the graphics card spilled into memory while { $phase }
failure-spilled-hint = The driver had begun to move { $shared } into the computer's own memory. What was worked out is kept.
failure-died = The drawing process ended while { $phase }
failure-died-start = The drawing process ended at its start
failure-died-hint = It held { $live }, { $planned } were planned. Window and queue are untouched, what was worked out is kept.
death-killed = It was ended from outside, most often by the system when memory runs out.
death-allocation = It asked for { $bytes } more memory and was refused.
death-commit = The system could not promise it any more memory.
death-fault = It touched memory that is not there: a fault in a driver or in this program.
death-aborted = It gave up on its own.
death-code = The system reports { $code }.
## Layout and ways
cmd-ways = Every way to draw it
cmd-ways-tip = Compare tiers: memory, time, and whether each fits
cmd-side = Show or hide the queue and the pictures
cmd-side-tip = Show or hide the queue and the pictures
cmd-memory = Show or hide the memory strip
cmd-memory-tip = Show or hide the memory strip
cmd-zoom-in = Larger
cmd-zoom-out = Smaller
cmd-zoom-reset = Usual size
cmd-zoom-tip = The size of everything in the window
ways-title = Every way to draw this picture
ways-body = The fastest that fits is taken. Click one to allow no other; the picture stays the same, only blended tiles differ a little.
ways-automatic = Automatic
ways-automatic-tip = Take the fastest way that fits
ways-pinned = Only { $choice }
ways-tier = Tier
ways-decode = Decode
ways-time = Time
ways-verdict = Verdict
ways-row = Draw it this way: { $facts }
percent = { $n } %
settings-zoom = Size of everything
settings-zoom-choose = Show everything at { $percent } percent
pane-form = What to draw
pane-viewer = The picture
pane-side = Queue and pictures
machine-own-files = Drop a machine file on the window to add a machine

## Dropped, opened, pasted
cmd-open = Open files
cmd-open-tip = Pictures with settings inside, models, machine files; dropping them on the window does the same
drop-title = Let go to take it
drop-looking = Looking into it
drop-settings = Its settings go into the form
drop-machine = Plan for { $name }
drop-model = Add this model: { $family }, { $bytes }
drop-nothing = Nothing to take: { $why }
drop-more = { $count ->
    [one] and one more
   *[other] and { $count } more
}
notice-restored = Settings taken from { $name }
notice-restored-text = Settings taken from the pasted text
notice-restored-hint = Everything that it says is in the form now.
notice-restored-left = Not taken over: { $left }
notice-model-absent = The model “{ $model }” is not here
notice-model-absent-hint = The model in the form stayed as it was. Drop the model on the window to add it.
notice-machine-added = Planning for { $name }
notice-machine-added-hint = It is kept in the list of machines.
notice-model-added = Model added: { $name }
notice-model-added-hint = It is chosen now, with its own size and steps.
notice-not-taken = Nothing taken from { $name }
notice-not-taken-text = Nothing taken from the pasted text
notice-not-taken-hint = Too much came at once. Try it again in a moment.
notice-too-many = { $most ->
    [one] Only one file is taken at once
   *[other] Only { $most } files are taken at once
}
notice-too-many-hint = The others were left out.
drop-unknown = Nothing here can take this
notice-not-known-hint = Headroom takes pictures with settings inside, models and machine files.

## Queue, seeds, undo
cmd-first = Draw next
cmd-first-tip = Before everything that waits
cmd-pause = Pause the queue
cmd-pause-tip = What is being drawn is finished, nothing more is started
cmd-undo = Undo
cmd-undo-tip = Take back the last change of the form
cmd-redo = Redo
cmd-redo-tip = Make the change again that was taken back
prompt-bracket = A bracket has no partner
seed-fixed = Keep this seed
seed-fixed-tip = The same seed gives the same picture again
seed-counting = Count the seed up
seed-counting-tip = Each order goes on where the last one ended
runs-label = Times
runs-tip = How often one click orders it, each time with the next seed
queue-go-on = Go on with the queue
queue-clear = Take everything that waits out of the queue
queue-paused = Paused: nothing more is started
queue-first = Draw “{ $prompt }” next
queue-up = Move “{ $prompt }” up
queue-down = Move “{ $prompt }” down
