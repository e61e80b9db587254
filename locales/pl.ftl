# Polski.

app-name = Headroom
language-name = Polski

## Commands: name and tooltip
cmd-generate = Rysuj
cmd-generate-tip = Narysuj ten obraz
cmd-queue = Dodaj do kolejki
cmd-queue-tip = Narysuj po obrazach, które już czekają
cmd-stop = Zatrzymaj
cmd-stop-tip = Zatrzymaj rysowanie; gotowe obrazy zostają
cmd-settings = Ustawienia
cmd-settings-tip = Motyw, język i limit pamięci
cmd-shortcuts = Skróty klawiszowe
cmd-shortcuts-tip = Wszystko, co potrafi klawiatura
cmd-focus-prompt = Edytuj opis
cmd-focus-prompt-tip = Ustaw kursor w opisie
cmd-fit-map = Mapa rozmiarów
cmd-fit-map-tip = Wszystkie rozmiary na raz, w kolorach kosztu
cmd-swap = Zamień szerokość z wysokością
cmd-swap-tip = Obróć obraz z pionu do poziomu lub odwrotnie
cmd-random-seed = Nowe ziarno
cmd-random-seed-tip = Wylosuj inne ziarno i zachowaj je
cmd-older = Starszy obraz
cmd-older-tip = Pokaż wcześniejszy obraz
cmd-newer = Nowszy obraz
cmd-newer-tip = Pokaż późniejszy obraz
cmd-theme = Przełącz jasny i ciemny
cmd-theme-tip = Przełącz jasny i ciemny

## Words used in many places
close = Zamknij
dismiss = Ukryj
not-known = nieznane
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = poniżej 1 s
time-seconds = { $s } s
time-minutes = { $m } min
time-minutes-seconds = { $m } min { $s } s
time-hours = { $h } h
time-hours-minutes = { $h } h { $m } min
size-pixels = { $width } × { $height }

## Prompt
prompt-label = Opis
prompt-hint = Co narysujemy?
negative-label = Bez tego
negative-hint = Czego ma nie być na obrazie
model-label = Model
family-builtin = Wbudowany
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = Rozmiar
width-label = Szer.
height-label = Wys.
width-exact = Dokładna szerokość
height-exact = Dokładna wysokość
slider-verdict = { $label }: { $value } px, { $verdict }
aspect-choose = Proporcje { $ratio }
aspect-lock = Zablokuj proporcje
aspect-lock-tip = Zachowaj stosunek szerokości do wysokości
size-native = Natywny
size-native-tip = Rozmiar, dla którego powstał ten model: { $size }
size-largest = Największy możliwy
size-largest-tip = Największy rozmiar o tych proporcjach, który się mieści
size-snapped = Rysuje { $to }
size-snapped-tip = Ten model rysuje wielokrotności { $multiple } pikseli; brany jest najbliższy rozmiar

## Sampling
steps-label = Kroki
guidance-label = Prowadzenie
guidance-tip = Jak ściśle trzymać się opisu; 1 wyłącza
seed-label = Ziarno
seed-random = Losowe ziarno
seed-random-tip = Losuj nowe ziarno dla każdego obrazu
more-label = Więcej
batch-label = Obrazy
batch-tip = Ile obrazów naraz, każdy z kolejnym ziarnem
sampler-label = Próbnik
denoise-label = Siła odszumiania
schedule-label = Harmonogram
reset-label = Wartości modelu
reset-tip = Kroki, prowadzenie i rozmiar najlepsze dla tego modelu

## Issues
issue-out-of-range = { $field }: tylko od { $min } do { $max }
issue-not-a-number = { $field }: to musi być liczba
issue-too-long = { $field }: najwyżej { $max } bajtów
issue-control = { $field }: zawiera znak, którego nie zapisze żaden plik

## Verdict
verdict-fits = Mieści się
verdict-fits-with = Mieści się, wolniej
verdict-short = Nie mieści się
verdict-cannot-tell = Nie wiadomo
verdict-invalid = Jeszcze niegotowe
verdict-peak = szczyt { $peak } z { $budget } GiB
verdict-peak-mixed = szczyt { $peak } z { $budget }
verdict-peak-only = szczyt { $peak }
verdict-time = około { $time }
verdict-time-unknown = czas jeszcze nieznany
verdict-elsewhere = na: { $machine }
verdict-line = Ocena: { $text }
verdict-short-by = Brakuje { $by }, { $pool }: { $phase }
verdict-short-hard = { $by } ponad twój limit: { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Rysuj mimo to
verdict-run-anyway-tip = Może wszystko spowolnić albo się nie udać. Twoja decyzja.
verdict-run-anyway-sure = Na pewno rysuj
verdict-run-anyway-sure-tip = Zaczyna, choć brakuje { $by }
verdict-elsewhere-note = Plan dla innego komputera
verdict-back = Wróć do tego komputera

## Concessions, tiers, decodes
concession-phased = wczytuje po jednej części
concession-streamed = czyta model blok po bloku
concession-tiled = dekoduje w łączonych kafelkach
tier-resident = rezydentny
tier-phased = etapami
tier-streamed = strumieniowo
tier-resident-tip = Wszystko zostaje wczytane między obrazami
tier-phased-tip = Naraz wczytana jest tylko jedna część modelu
tier-streamed-tip = Model jest czytany blok po bloku w trakcie liczenia
decode-whole = w całości
decode-tiled = w kafelkach
choice-both = { $tier }, dekodowanie { $decode }

## Pools
pool-host = pamięć
pool-device = pamięć karty
pool-commit = pamięć zadeklarowana
pool-host-title = Pamięć
pool-device-title = Pamięć karty
pool-commit-title = Pamięć zadeklarowana

## Why a reading is unknown
unknown-missing = nic tu nie odpowiada
unknown-unreadable = odpowiedzi nie dało się odczytać
unknown-zero = podaje zero
unknown-above-total = wolnej więcej niż całej
unknown-free-equals-total = sterownik nie liczy innych programów

## Remedies
remedy-size = Użyj { $size }
remedy-single = Po jednym obrazie
remedy-choice = Pozwól: { $choice }
remedy-raise-limit = Podnieś limit do { $bytes }
remedy-close-others = Albo zamknij programy zajmujące { $bytes }
remedy-grow-pagefile = Albo pozwól plikowi stronicowania urosnąć o { $bytes }
remedy-none = Mniejszy rozmiar nie pomoże: model jest za duży dla tego komputera

## Phases
phase-load-text-encoder = wczytywanie kodera tekstu
phase-encode = czytanie opisu
phase-load-denoiser = wczytywanie modelu rysującego
phase-denoise = rysowanie
phase-load-vae = wczytywanie dekodera
phase-decode = dekodowanie
phase-save = zapisywanie
phase-load-text-encoder-short = Wczyt. tekst
phase-encode-short = Opis
phase-load-denoiser-short = Wczyt.
phase-denoise-short = Rysuje
phase-load-vae-short = Wczyt. VAE
phase-decode-short = Dekoduje
phase-save-short = Zapis

## Terms of a need
term-text-encoder-weights = Koder tekstu
term-denoiser-weights = Model rysujący
term-vae-weights = Dekoder
term-loras = LoRA
term-activations = Aktywacje
term-workspace = Przestrzeń robocza
term-embeddings = Osadzenia
term-latents = Latenty
term-pixels = Piksele
term-staging = Bufory
term-runtime = Program

## Memory strip
memory-label = Pamięć
gauge-others = inne { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = ten obraz { $bytes }
gauge-budget = miejsce { $bytes }
gauge-total = z { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: inne zajmują { $others }, Headroom zajmuje { $ours }, ten obraz sięga { $peak }, miejsca jest { $budget }, razem { $total }
gauge-others-name = Inne
gauge-ours-name = Headroom
gauge-peak-name = Ten obraz
gauge-room-name = Miejsce
timeline-label = Plan
timeline-spoken = Plan według etapów: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = plan { $bytes }
timeline-measured = pomiar { $bytes }
timeline-compare = Plan { $planned }, pomiar { $measured } ({ $error })
timeline-compare-short = Pomiar { $measured } ({ $error })
timeline-within = { $percent } % mniej
timeline-over = { $percent } % więcej
timeline-exact = zgodnie z planem
timeline-empty = Plan pojawi się tu, gdy wszystko będzie wypełnione

## Viewer
empty-title = Co narysujemy?
empty-body = Napisz po lewej albo zacznij od jednego z tych.
empty-example = Narysuj: { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Obraz: { $prompt }
viewer-preview = Podgląd: { $prompt }
viewer-step = Krok { $step } z { $steps }
viewer-picture-of = Obraz { $n } z { $all }
viewer-elapsed = minęło { $time }
viewer-left = zostało { $time }
viewer-progress = Postęp: { $percent } procent
viewer-starting = Zaczyna
viewer-stopping = Zatrzymuje
viewer-loading = { $done } z { $total }
viewer-seed = ziarno { $seed }
viewer-steps = { $steps ->
    [one] 1 krok
    [few] { $steps } kroki
    [many] { $steps } kroków
   *[other] { $steps } kroku
}
viewer-saving = zapisywanie
viewer-saved = Zapisano jako { $path }
viewer-unsaved = Nie zapisano
viewer-reuse = Użyj tych ustawień
viewer-reuse-tip = Przenieś opis, rozmiar, ziarno i resztę do formularza

## Queue and strip
queue-label = Kolejka
queue-empty = Nic nie czeka
queue-waiting = czeka
queue-running = rysuje się
queue-held = wstrzymane: { $why }
queue-held-short = brakuje { $by }, { $pool }
queue-remove = Usuń „{ $prompt }” z kolejki
queue-retry = Spróbuj ponownie
queue-retry-tip = Zaplanuj ponownie z pamięcią wolną teraz
queue-untitled = bez opisu
strip-label = Ta sesja
strip-empty = Tu zbierają się twoje obrazy
strip-picture = Pokaż obraz { $n }: { $prompt }

## Header
machine-label = Plan dla
machine-this = Ten komputer
machine-named = Ten komputer ({ $name })
machine-tip = Zobacz, co narysowałby inny komputer

## Fit map
map-title = Co się mieści
map-body = Wszystkie rozmiary od { $from } do { $to }. Kliknij, by wybrać.
map-cell = { $size }: { $verdict }
map-now = teraz { $size }
map-label = Siatka rozmiarów

## Settings
settings-title = Ustawienia
settings-theme = Motyw
settings-theme-system = Systemowy
settings-theme-light = Jasny
settings-theme-dark = Ciemny
settings-language = Język
settings-language-system = Systemowy
settings-limit = Limit pamięci
settings-limit-on = Nigdy więcej niż
settings-limit-amount = Limit pamięci w GiB
settings-limit-note = Limit jest sztywny: co się nie mieści, nigdy się nie zacznie.
shortcuts-title = Klawiatura

## Notices
notice-busy = Kolejka silnika jest pełna
notice-busy-hint = Obraz czeka tutaj i zacznie się sam.
notice-interrupted = Program zakończył się podczas rysowania
notice-interrupted-hint = Ten obraz nie zostanie narysowany ponownie sam z siebie, a kolejka jest wstrzymana. Sprawdź go i kontynuuj.
notice-queue-elsewhere = Kolejkę prowadzi inne okno Headroom
notice-queue-unkept = Kolejki nie można zachować: { $why }
notice-queue-unkept-hint = To, co tu zlecisz, zostanie narysowane, ale zapomniane po zamknięciu tego okna.
notice-refused = Już się nie mieści: { $what }
notice-refused-hint = Od kliknięcia zajęto pamięć. Obraz czeka w kolejce; zamknij coś i spróbuj ponownie.
notice-replanned = Pamięć się zmieniła: { $tier } zamiast { $was }
notice-replanned-hint = Obraz będzie ten sam, zmienia się tylko czas.
notice-save-failed = Nie udało się zapisać obrazu: { $why }
notice-save-failed-hint = Nadal tu jest. Sprawdź, czy folder istnieje i można w nim pisać.

## Failures
failure-cancelled = Zatrzymano
failure-cancelled-hint = Nic nie przepadło. „Rysuj” zaczyna od nowa.
failure-guard = Zatrzymano, by chronić pamięć: { $phase }
failure-guard-hint = Zajęte było { $live }, a planowano { $planned }. Wybierz mniejszy rozmiar albo zamknij inne programy.
failure-refused = Nie mieści się
failure-refused-hint = Nic nie wczytano. Wybierz jedną z podanych zmian.
failure-model = Plik modelu jest uszkodzony lub nieczytelny: { $reason }
failure-model-hint = Pobierz go ponownie albo wybierz inny model. Plik: { $path }
failure-device = Ta wersja nie może liczyć na { $device }
failure-device-hint = Wybierz zamiast tego procesor.
failure-nan = Model dał wartości, które nie są liczbami: { $phase }
failure-nan-hint = Zwykle pomaga inne ziarno albo dokładniejsze wagi.
failure-write = Nie udało się zapisać obrazu: { $reason }
failure-write-hint = Sprawdź wolne miejsce i uprawnienia. Ścieżka: { $path }
failure-crash = Silnik się zawiesił i został uruchomiony ponownie
failure-crash-hint = Kolejka i obrazy są bezpieczne. Komunikat: { $what }

## Layout and ways
cmd-ways = Wszystkie sposoby rysowania
cmd-ways-tip = Porównaj poziomy: pamięć, czas i czy się mieszczą
cmd-side = Pokaż lub ukryj kolejkę i obrazy
cmd-side-tip = Pokaż lub ukryj kolejkę i obrazy
cmd-memory = Pokaż lub ukryj pasek pamięci
cmd-memory-tip = Pokaż lub ukryj pasek pamięci
cmd-zoom-in = Większe
cmd-zoom-out = Mniejsze
cmd-zoom-reset = Zwykły rozmiar
cmd-zoom-tip = Rozmiar wszystkiego w oknie
ways-title = Wszystkie sposoby narysowania tego obrazu
ways-body = Wybierany jest najszybszy, który się mieści. Kliknij, by dopuścić tylko jeden; obraz będzie ten sam, nieco inne są tylko łączone kafelki.
ways-automatic = Automatycznie
ways-automatic-tip = Wybierz najszybszy sposób, który się mieści
ways-pinned = Tylko { $choice }
ways-tier = Poziom
ways-decode = Dekodowanie
ways-time = Czas
ways-verdict = Ocena
ways-row = Rysuj tak: { $facts }
percent = { $n } %
settings-zoom = Rozmiar wszystkiego
settings-zoom-choose = Pokaż wszystko w { $percent } procentach
pane-form = Co rysować
pane-viewer = Obraz
pane-side = Kolejka i obrazy
machine-own-files = Upuść plik komputera na okno, by go dodać

## Dropped, opened, pasted
cmd-open = Otwórz pliki
cmd-open-tip = Obrazy z ustawieniami, modele, pliki komputerów; upuszczenie na okno działa tak samo
drop-title = Puść, by przyjąć
drop-looking = Sprawdzanie
drop-settings = Jego ustawienia trafią do formularza
drop-machine = Plan dla: { $name }
drop-model = Dodaj ten model: { $family }, { $bytes }
drop-nothing = Nie ma czego przyjąć: { $why }
drop-more = { $count ->
    [one] i jeszcze jeden
    [few] i jeszcze { $count }
    [many] i jeszcze { $count }
   *[other] i jeszcze { $count }
}
notice-restored = Przyjęto ustawienia z { $name }
notice-restored-text = Przyjęto ustawienia z wklejonego tekstu
notice-restored-hint = Wszystko, co zawiera, jest teraz w formularzu.
notice-restored-left = Nie przyjęto: { $left }
notice-model-absent = Nie ma modelu „{ $model }”
notice-model-absent-hint = Model w formularzu się nie zmienił. Upuść model na okno, by go dodać.
notice-machine-added = Plan dla: { $name }
notice-machine-added-hint = Zostaje na liście komputerów.
notice-model-added = Dodano model: { $name }
notice-model-added-hint = Jest wybrany, z własnym rozmiarem i krokami.
notice-not-taken = Nic nie przyjęto z { $name }
notice-not-taken-text = Nic nie przyjęto z wklejonego tekstu
notice-not-taken-hint = Przyszło zbyt wiele naraz. Spróbuj za chwilę.
notice-too-many = { $most ->
    [one] Naraz przyjmowany jest tylko jeden plik
    [few] Naraz przyjmowane są tylko { $most } pliki
    [many] Naraz przyjmowanych jest tylko { $most } plików
   *[other] Naraz przyjmowane jest tylko { $most } pliku
}
notice-too-many-hint = Pozostałe pominięto.
drop-unknown = Nic tu nie umie tego przyjąć
notice-not-known-hint = Headroom przyjmuje obrazy z ustawieniami, modele i pliki komputerów.

## Queue, seeds, undo
cmd-first = Rysuj jako następny
cmd-first-tip = Przed wszystkim, co czeka
cmd-pause = Wstrzymaj kolejkę
cmd-pause-tip = Bieżący obraz zostanie skończony, nic więcej się nie zacznie
cmd-undo = Cofnij
cmd-undo-tip = Cofnij ostatnią zmianę w formularzu
cmd-redo = Ponów
cmd-redo-tip = Zrób ponownie cofniętą zmianę
prompt-bracket = Nawias nie ma pary
seed-fixed = Zachowaj to ziarno
seed-fixed-tip = To samo ziarno daje znów ten sam obraz
seed-counting = Zwiększaj ziarno
seed-counting-tip = Każde zlecenie zaczyna tam, gdzie skończyło poprzednie
runs-label = Razy
runs-tip = Ile razy zleca jedno kliknięcie, za każdym razem z kolejnym ziarnem
queue-go-on = Wznów kolejkę
queue-clear = Usuń wszystko, co czeka
queue-paused = Wstrzymana: nic więcej się nie zacznie
queue-first = Rysuj „{ $prompt }” jako następny
queue-up = Przesuń „{ $prompt }” w górę
queue-down = Przesuń „{ $prompt }” w dół

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = Nie można otworzyć okna: { $why }
prompt-literal = Ten model czyta nawiasy jako tekst, nie jako wagi
distilled-label = Wydestylowane prowadzenie
distilled-tip = Jak ściśle obraz trzyma się tekstu, w modelach, które biorą to na wejściu; nie kosztuje czasu
rng-label = Szum
rng-tip = Czyje liczby losowe oznacza ziarno: CPU jak w ComfyUI i InvokeAI, NV jak w A1111
issue-not-offered = { $field }: ten wybór nie pasuje do tego modelu
concession-banded = dekoduje pasami
decode-banded = pasami
term-text-encoder-2-weights = Koder tekstu 2
term-text-encoder-3-weights = Koder tekstu 3
memory-spread = { $runs ->
    [one] Ostatnie uruchomienie: { $low } %
    [few] Ostatnie uruchomienia ({ $runs }): { $low } .. { $high } %
    [many] Ostatnie uruchomienia ({ $runs }): { $low } .. { $high } %
   *[other] Ostatnie uruchomienia ({ $runs }): { $low } .. { $high } %
}
memory-spread-tip = O ile przewidywania przekraczały pomiar
queue-kept = zachowano kroków: { $done } z { $all }
queue-stopped = zatrzymane
queue-interrupted = przerwane: trwało, gdy program się zakończył
queue-resume = Kontynuuj
queue-resume-tip = Rusza od zachowanego kroku, z pamięcią wolną teraz
failure-out-of-memory = Brak pamięci podczas: { $phase }
failure-out-of-memory-hint = Potrzeba było jeszcze { $bytes }, a ich nie było. To, co obliczono, zostaje.
failure-spilled = Zatrzymano, zanim karta graficzna przelała się do pamięci podczas: { $phase }
failure-spilled-hint = Sterownik zaczął przenosić { $shared } do pamięci komputera. To, co obliczono, zostaje.
failure-died = Proces rysowania zakończył się podczas: { $phase }
failure-died-start = Proces rysowania zakończył się przy starcie
failure-died-hint = Zajmował { $live }, planowano { $planned }. Okno i kolejka są nietknięte, to, co obliczono, zostaje.
death-killed = Zakończono go z zewnątrz, najczęściej przez system, gdy brakuje pamięci.
death-allocation = Poprosił o jeszcze { $bytes } pamięci i odmówiono mu.
death-commit = System nie mógł obiecać mu więcej pamięci.
death-fault = Sięgnął do pamięci, której nie ma: błąd sterownika lub tego programu.
death-aborted = Sam się poddał.
death-code = System zgłasza { $code }.
