# Українська.

app-name = Headroom
language-name = Українська

## Commands: name and tooltip
cmd-generate = Малювати
cmd-generate-tip = Намалювати це зображення
cmd-queue = Додати до черги
cmd-queue-tip = Намалювати після тих, що вже чекають
cmd-stop = Зупинити
cmd-stop-tip = Зупинити малювання; готові зображення лишаються
cmd-settings = Налаштування
cmd-settings-tip = Тема, мова й обмеження пам’яті
cmd-shortcuts = Клавіатурні скорочення
cmd-shortcuts-tip = Усе, що вміє клавіатура
cmd-focus-prompt = Редагувати опис
cmd-focus-prompt-tip = Поставити курсор в опис
cmd-fit-map = Карта розмірів
cmd-fit-map-tip = Усі розміри одразу, забарвлені за вартістю
cmd-swap = Поміняти ширину й висоту
cmd-swap-tip = Повернути з книжкової на альбомну чи навпаки
cmd-random-seed = Нове зерно
cmd-random-seed-tip = Вибрати інше зерно й лишити його
cmd-older = Старше зображення
cmd-older-tip = Показати попереднє зображення
cmd-newer = Новіше зображення
cmd-newer-tip = Показати наступне зображення
cmd-theme = Перемкнути світлу й темну тему
cmd-theme-tip = Перемкнути світлу й темну тему

## Words used in many places
close = Закрити
dismiss = Сховати
not-known = невідомо
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } МіБ
bytes-gib = { $n } ГіБ
time-under-second = менше 1 с
time-seconds = { $s } с
time-minutes = { $m } хв
time-minutes-seconds = { $m } хв { $s } с
time-hours = { $h } год
time-hours-minutes = { $h } год { $m } хв
size-pixels = { $width } × { $height }

## Prompt
prompt-label = Опис
prompt-hint = Що намалюємо?
negative-label = Чого уникати
negative-hint = Чого не має бути на зображенні
model-label = Модель
family-builtin = Вбудована
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = Розмір
width-label = Ширина
height-label = Висота
width-exact = Точна ширина
height-exact = Точна висота
slider-verdict = { $label }: { $value } пкс, { $verdict }
aspect-choose = Пропорції { $ratio }
aspect-lock = Закріпити пропорції
aspect-lock-tip = Зберігати співвідношення ширини й висоти
size-native = Рідний
size-native-tip = Розмір, для якого створено цю модель: { $size }
size-largest = Найбільший можливий
size-largest-tip = Найбільший розмір із цими пропорціями, що вміщується
size-snapped = Намалює { $to }
size-snapped-tip = Ця модель малює кратно { $multiple } пікселям; береться найближчий розмір

## Sampling
steps-label = Кроки
guidance-label = Керування
guidance-tip = Наскільки точно слідувати опису; 1 вимикає
seed-label = Зерно
seed-random = Випадкове зерно
seed-random-tip = Нове зерно для кожного зображення
more-label = Більше
batch-label = Зображення
batch-tip = Скільки зображень за раз, кожне з наступним зерном
sampler-label = Семплер
denoise-label = Сила знешумлення
schedule-label = Розклад
reset-label = Типові для моделі
reset-tip = Кроки, керування й розмір, найкращі для цієї моделі

## Issues
issue-out-of-range = { $field }: лише від { $min } до { $max }
issue-not-a-number = { $field }: має бути число
issue-too-long = { $field }: щонайбільше { $max } байтів
issue-control = { $field }: містить символ, який не може зберегти жоден файл

## Verdict
verdict-fits = Вміщується
verdict-fits-with = Вміщується, повільніше
verdict-short = Не вміщується
verdict-cannot-tell = Невідомо
verdict-invalid = Ще не готово
verdict-peak = пік { $peak } з { $budget } ГіБ
verdict-peak-mixed = пік { $peak } з { $budget }
verdict-peak-only = пік { $peak }
verdict-time = близько { $time }
verdict-time-unknown = час іще невідомий
verdict-elsewhere = на: { $machine }
verdict-line = Висновок: { $text }
verdict-short-by = Бракує { $by }, { $pool }: { $phase }
verdict-short-hard = { $by } понад ваше обмеження: { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Усе одно малювати
verdict-run-anyway-tip = Усе може сповільнитися чи не вдатися. Вирішувати вам.
verdict-run-anyway-sure = Так, малювати
verdict-run-anyway-sure-tip = Починає, хоча бракує { $by }
verdict-elsewhere-note = Заплановано для іншого комп’ютера
verdict-back = Назад до цього комп’ютера

## Concessions, tiers, decodes
concession-phased = завантажує частини по черзі
concession-streamed = читає модель блок за блоком
concession-tiled = декодує змішаними плитками
tier-resident = резидентний
tier-phased = поетапний
tier-streamed = потоковий
tier-resident-tip = Усе лишається завантаженим між зображеннями
tier-phased-tip = Одночасно завантажено лише одну частину моделі
tier-streamed-tip = Модель читається блок за блоком під час обчислень
decode-whole = цілком
decode-tiled = плитками
choice-both = { $tier }, декодування { $decode }

## Pools
pool-host = пам’ять
pool-device = відеопам’ять
pool-commit = виділена пам’ять
pool-host-title = Пам’ять
pool-device-title = Відеопам’ять
pool-commit-title = Виділена пам’ять

## Why a reading is unknown
unknown-missing = тут нічого не відповідає
unknown-unreadable = відповідь не прочиталася
unknown-zero = показує нуль
unknown-above-total = вільної більше, ніж усієї
unknown-free-equals-total = драйвер не рахує інші програми

## Remedies
remedy-size = Узяти { $size }
remedy-single = По одному зображенню
remedy-choice = Дозволити: { $choice }
remedy-raise-limit = Підняти обмеження до { $bytes }
remedy-close-others = Або закрити програми, що тримають { $bytes }
remedy-grow-pagefile = Або дати файлу підкачки вирости на { $bytes }
remedy-none = Зменшення не допоможе: модель завелика для цього комп’ютера

## Phases
phase-load-text-encoder = завантаження кодувальника тексту
phase-encode = читання опису
phase-load-denoiser = завантаження моделі малювання
phase-denoise = малювання
phase-load-vae = завантаження декодера
phase-decode = декодування
phase-save = збереження
phase-load-text-encoder-short = Заван. текст
phase-encode-short = Опис
phase-load-denoiser-short = Заван.
phase-denoise-short = Малює
phase-load-vae-short = Заван. VAE
phase-decode-short = Декодує
phase-save-short = Запис

## Terms of a need
term-text-encoder-weights = Кодувальник тексту
term-denoiser-weights = Модель малювання
term-vae-weights = Декодер
term-loras = LoRA
term-activations = Активації
term-workspace = Робочий простір
term-embeddings = Вкладення
term-latents = Латенти
term-pixels = Пікселі
term-staging = Буфери
term-runtime = Програма

## Memory strip
memory-label = Пам’ять
gauge-others = інші { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = це зображення { $bytes }
gauge-budget = місце { $bytes }
gauge-total = з { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: інші тримають { $others }, Headroom тримає { $ours }, це зображення сягає { $peak }, місця є { $budget }, усього { $total }
gauge-others-name = Інші
gauge-ours-name = Headroom
gauge-peak-name = Це зображення
gauge-room-name = Місце
timeline-label = План
timeline-spoken = План за етапами: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = план { $bytes }
timeline-measured = виміряно { $bytes }
timeline-compare = План { $planned }, виміряно { $measured } ({ $error })
timeline-compare-short = Виміряно { $measured } ({ $error })
timeline-within = на { $percent } % менше
timeline-over = на { $percent } % більше
timeline-exact = за планом
timeline-empty = План з’явиться тут, щойно все буде заповнено

## Viewer
empty-title = Що намалюємо?
empty-body = Напишіть ліворуч або почніть з одного з цих.
empty-example = Намалювати: { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Зображення: { $prompt }
viewer-preview = Попередній вигляд: { $prompt }
viewer-step = Крок { $step } з { $steps }
viewer-picture-of = Зображення { $n } з { $all }
viewer-elapsed = минуло { $time }
viewer-left = лишилося { $time }
viewer-progress = Поступ: { $percent } відсотків
viewer-starting = Починається
viewer-stopping = Зупиняється
viewer-loading = { $done } з { $total }
viewer-seed = зерно { $seed }
viewer-steps = { $steps ->
    [one] { $steps } крок
    [few] { $steps } кроки
    [many] { $steps } кроків
   *[other] { $steps } кроку
}
viewer-saving = зберігається
viewer-saved = Збережено як { $path }
viewer-unsaved = Не збережено
viewer-reuse = Узяти ці налаштування
viewer-reuse-tip = Перенести опис, розмір, зерно й решту у форму

## Queue and strip
queue-label = Черга
queue-empty = Нічого не чекає
queue-waiting = чекає
queue-running = малюється
queue-held = затримано: { $why }
queue-held-short = бракує { $by }, { $pool }
queue-remove = Прибрати «{ $prompt }» з черги
queue-retry = Спробувати знову
queue-retry-tip = Перепланувати з пам’яттю, вільною зараз
queue-untitled = без опису
strip-label = Цей сеанс
strip-empty = Тут збираються ваші зображення
strip-picture = Показати зображення { $n }: { $prompt }

## Header
machine-label = План для
machine-this = Цей комп’ютер
machine-named = Цей комп’ютер ({ $name })
machine-tip = Побачити, що міг би намалювати інший комп’ютер

## Fit map
map-title = Що вміщується
map-body = Усі розміри від { $from } до { $to }. Клацніть, щоб узяти.
map-cell = { $size }: { $verdict }
map-now = зараз { $size }
map-label = Сітка розмірів

## Settings
settings-title = Налаштування
settings-theme = Тема
settings-theme-system = Системна
settings-theme-light = Світла
settings-theme-dark = Темна
settings-language = Мова
settings-language-system = Системна
settings-limit = Обмеження пам’яті
settings-limit-on = Ніколи не більше ніж
settings-limit-amount = Обмеження пам’яті в ГіБ
settings-limit-note = Обмеження жорстке: що не вміщується, ніколи не почнеться.
shortcuts-title = Клавіатура

## Notices
notice-busy = Черга рушія заповнена
notice-busy-hint = Зображення чекає тут і почнеться саме.
notice-interrupted = Програма завершилася під час малювання
notice-interrupted-hint = Це зображення не малюється знову саме собою, а чергу призупинено. Перегляньте його та продовжте.
notice-queue-elsewhere = Чергу веде інше вікно Headroom
notice-queue-unkept = Чергу не вдається зберегти: { $why }
notice-queue-unkept-hint = Замовлене тут буде намальовано, але забуто після закриття цього вікна.
notice-refused = Більше не вміщується: { $what }
notice-refused-hint = Відтоді пам’ять зайнято. Зображення чекає в черзі; закрийте щось і спробуйте знову.
notice-replanned = Пам’ять змінилася: { $tier } замість { $was }
notice-replanned-hint = Зображення те саме, змінюється лише час.
notice-save-failed = Не вдалося зберегти зображення: { $why }
notice-save-failed-hint = Воно ще тут. Перевірте, чи тека існує й доступна для запису.

## Failures
failure-cancelled = Зупинено
failure-cancelled-hint = Нічого не втрачено. «Малювати» почне знову.
failure-guard = Зупинено, щоб захистити пам’ять: { $phase }
failure-guard-hint = Зайнято { $live }, а планувалося { $planned }. Спробуйте менший розмір або закрийте інші програми.
failure-refused = Не вміщується
failure-refused-hint = Нічого не завантажено. Виберіть одну із запропонованих змін.
failure-model = Файл моделі пошкоджено або не читається: { $reason }
failure-model-hint = Отримайте його знову або виберіть іншу модель. Файл: { $path }
failure-device = Ця збірка не може обчислювати на { $device }
failure-device-hint = Натомість виберіть процесор.
failure-nan = Модель дала значення, що не є числами: { $phase }
failure-nan-hint = Зазвичай допомагає інше зерно чи точніші ваги.
failure-write = Не вдалося записати зображення: { $reason }
failure-write-hint = Перевірте вільне місце й права. Шлях: { $path }
failure-crash = Рушій аварійно завершився й запущений знову
failure-crash-hint = Черга й зображення в безпеці. Повідомлення: { $what }

## Layout and ways
cmd-ways = Усі способи намалювати
cmd-ways-tip = Порівняти рівні: пам’ять, час і чи вміщуються
cmd-side = Показати чи сховати чергу й зображення
cmd-side-tip = Показати чи сховати чергу й зображення
cmd-memory = Показати чи сховати смугу пам’яті
cmd-memory-tip = Показати чи сховати смугу пам’яті
cmd-zoom-in = Більше
cmd-zoom-out = Менше
cmd-zoom-reset = Звичайний розмір
cmd-zoom-tip = Розмір усього у вікні
ways-title = Усі способи намалювати це зображення
ways-body = Береться найшвидший, що вміщується. Клацніть, щоб дозволити лише один; зображення те саме, трохи різняться тільки змішані плитки.
ways-automatic = Автоматично
ways-automatic-tip = Узяти найшвидший спосіб, що вміщується
ways-pinned = Лише { $choice }
ways-tier = Рівень
ways-decode = Декодування
ways-time = Час
ways-verdict = Висновок
ways-row = Малювати так: { $facts }
percent = { $n } %
settings-zoom = Розмір усього
settings-zoom-choose = Показати все на { $percent } відсотків
pane-form = Що малювати
pane-viewer = Зображення
pane-side = Черга й зображення
machine-own-files = Перетягніть файл комп’ютера на вікно, щоб додати його

## Dropped, opened, pasted
cmd-open = Відкрити файли
cmd-open-tip = Зображення з налаштуваннями, моделі, файли комп’ютерів; перетягування на вікно робить те саме
drop-title = Відпустіть, щоб узяти
drop-looking = Перевіряється
drop-settings = Його налаштування підуть у форму
drop-machine = План для: { $name }
drop-model = Додати цю модель: { $family }, { $bytes }
drop-nothing = Нема чого взяти: { $why }
drop-more = { $count ->
    [one] і ще { $count }
    [few] і ще { $count }
    [many] і ще { $count }
   *[other] і ще { $count }
}
notice-restored = Налаштування взято з { $name }
notice-restored-text = Налаштування взято зі вставленого тексту
notice-restored-hint = Усе, що там є, тепер у формі.
notice-restored-left = Не взято: { $left }
notice-model-absent = Моделі «{ $model }» тут немає
notice-model-absent-hint = Модель у формі лишилася та сама. Перетягніть модель на вікно, щоб додати її.
notice-machine-added = План для: { $name }
notice-machine-added-hint = Він лишається в списку комп’ютерів.
notice-model-added = Додано модель: { $name }
notice-model-added-hint = Її вибрано, з власними розміром і кроками.
notice-not-taken = З { $name } нічого не взято
notice-not-taken-text = Зі вставленого тексту нічого не взято
notice-not-taken-hint = Забагато за раз. Спробуйте за мить.
notice-too-many = { $most ->
    [one] За раз береться лише { $most } файл
    [few] За раз беруться лише { $most } файли
    [many] За раз береться лише { $most } файлів
   *[other] За раз береться лише { $most } файлу
}
notice-too-many-hint = Решту пропущено.
drop-unknown = Тут ніщо не може це взяти
notice-not-known-hint = Headroom бере зображення з налаштуваннями, моделі й файли комп’ютерів.

## Queue, seeds, undo
cmd-first = Малювати наступним
cmd-first-tip = Перед усім, що чекає
cmd-pause = Призупинити чергу
cmd-pause-tip = Поточне буде завершено, більше нічого не почнеться
cmd-undo = Скасувати
cmd-undo-tip = Скасувати останню зміну у формі
cmd-redo = Повторити
cmd-redo-tip = Зробити знову скасовану зміну
prompt-bracket = Дужка не має пари
seed-fixed = Лишити це зерно
seed-fixed-tip = Те саме зерно дає знову те саме зображення
seed-counting = Збільшувати зерно
seed-counting-tip = Кожне замовлення продовжує від попереднього
runs-label = Разів
runs-tip = Скільки разів замовляє один клік, щоразу з наступним зерном
queue-go-on = Продовжити чергу
queue-clear = Прибрати все, що чекає
queue-paused = Призупинено: більше нічого не почнеться
queue-first = Малювати «{ $prompt }» наступним
queue-up = Пересунути «{ $prompt }» вгору
queue-down = Пересунути «{ $prompt }» вниз

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = Не вдалося відкрити вікно: { $why }
prompt-literal = Ця модель читає дужки як текст, а не як вагу
distilled-label = Дистильоване керування
distilled-tip = Наскільки зображення тримається тексту, для моделей, що беруть це на вхід; не коштує часу
rng-label = Шум
rng-tip = Чиї випадкові числа означає зерно: CPU як у ComfyUI та InvokeAI, NV як в A1111
issue-not-offered = { $field }: цей вибір не підходить до цієї моделі
concession-banded = декодує смугами
decode-banded = смугами
term-text-encoder-2-weights = Кодувальник тексту 2
term-text-encoder-3-weights = Кодувальник тексту 3
memory-spread = { $runs ->
    [one] Останній запуск: { $low } %
    [few] Останні запуски ({ $runs }): { $low } .. { $high } %
    [many] Останні запуски ({ $runs }): { $low } .. { $high } %
   *[other] Останні запуски ({ $runs }): { $low } .. { $high } %
}
memory-spread-tip = Наскільки передбачення перевищували виміряне
queue-kept = збережено кроків: { $done } з { $all }
queue-stopped = зупинено
queue-interrupted = перервано: виконувалося, коли програма завершилася
queue-resume = Продовжити
queue-resume-tip = Продовжує зі збереженого кроку, з пам’яттю, вільною зараз
failure-out-of-memory = Бракує пам’яті, етап: { $phase }
failure-out-of-memory-hint = Потрібно було ще { $bytes }, а їх не було. Обчислене збережено.
failure-spilled = Зупинено до того, як відеокарта перелилася в пам’ять, етап: { $phase }
failure-spilled-hint = Драйвер почав переносити { $shared } у пам’ять комп’ютера. Обчислене збережено.
failure-died = Процес малювання завершився, етап: { $phase }
failure-died-start = Процес малювання завершився на старті
failure-died-hint = Він займав { $live }, планувалося { $planned }. Вікно й черга неушкоджені, обчислене збережено.
death-killed = Його завершено ззовні, найчастіше системою, коли бракує пам’яті.
death-allocation = Він попросив ще { $bytes } пам’яті й отримав відмову.
death-commit = Система не могла обіцяти йому більше пам’яті.
death-fault = Він торкнувся пам’яті, якої немає: помилка драйвера або цієї програми.
death-aborted = Він зупинився сам.
death-code = Система повідомляє { $code }.
