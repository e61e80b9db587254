# Italiano.

app-name = Headroom
language-name = Italiano

## Commands: name and tooltip
cmd-generate = Disegna
cmd-generate-tip = Disegna questa immagine
cmd-queue = Metti in coda
cmd-queue-tip = Disegna questa dopo quelle già in attesa
cmd-stop = Ferma
cmd-stop-tip = Ferma il disegno; le immagini finite restano
cmd-settings = Impostazioni
cmd-settings-tip = Tema, lingua e limite di memoria
cmd-shortcuts = Scorciatoie da tastiera
cmd-shortcuts-tip = Tutto ciò che fa la tastiera
cmd-focus-prompt = Modifica la descrizione
cmd-focus-prompt-tip = Porta il cursore nella descrizione
cmd-fit-map = Mappa delle dimensioni
cmd-fit-map-tip = Tutte le dimensioni a colpo d’occhio, colorate per costo
cmd-swap = Scambia larghezza e altezza
cmd-swap-tip = Passa da verticale a orizzontale o viceversa
cmd-random-seed = Nuovo seme
cmd-random-seed-tip = Estrai un altro seme e tienilo
cmd-older = Immagine precedente
cmd-older-tip = Mostra l’immagine di prima
cmd-newer = Immagine successiva
cmd-newer-tip = Mostra l’immagine di dopo
cmd-theme = Passa da chiaro a scuro
cmd-theme-tip = Passa da chiaro a scuro

## Words used in many places
close = Chiudi
dismiss = Nascondi
not-known = sconosciuto
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = meno di 1 s
time-seconds = { $s } s
time-minutes = { $m } min
time-minutes-seconds = { $m } min { $s } s
time-hours = { $h } h
time-hours-minutes = { $h } h { $m } min
size-pixels = { $width } × { $height }

## Prompt
prompt-label = Descrizione
prompt-hint = Che cosa disegniamo?
negative-label = Da evitare
negative-hint = Ciò che non deve esserci nell’immagine
model-label = Modello
family-builtin = Integrato
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = Dimensioni
width-label = Largh.
height-label = Altezza
width-exact = Larghezza esatta
height-exact = Altezza esatta
slider-verdict = { $label }: { $value } pixel, { $verdict }
aspect-choose = Formato { $ratio }
aspect-lock = Blocca il formato
aspect-lock-tip = Mantieni il rapporto tra larghezza e altezza
size-native = Nativa
size-native-tip = La dimensione per cui è fatto questo modello: { $size }
size-largest = La più grande possibile
size-largest-tip = La dimensione più grande di questo formato che ci sta
size-snapped = Disegna { $to }
size-snapped-tip = Questo modello disegna multipli di { $multiple } pixel; si prende la dimensione più vicina

## Sampling
steps-label = Passi
guidance-label = Guida
guidance-tip = Quanto seguire la descrizione; 1 la disattiva
seed-label = Seme
seed-random = Seme casuale
seed-random-tip = Estrai un seme nuovo per ogni immagine
more-label = Altro
batch-label = Immagini
batch-tip = Quante immagini insieme, ognuna con il seme successivo
sampler-label = Campionatore
denoise-label = Intensità di rimozione del rumore
schedule-label = Pianificazione
reset-label = Valori del modello
reset-tip = Passi, guida e dimensioni preferiti da questo modello

## Issues
issue-out-of-range = { $field }: solo tra { $min } e { $max }
issue-not-a-number = { $field }: deve essere un numero
issue-too-long = { $field }: al massimo { $max } byte
issue-control = { $field }: contiene un carattere che nessun file può contenere

## Verdict
verdict-fits = Ci sta
verdict-fits-with = Ci sta, più lento
verdict-short = Non ci sta
verdict-cannot-tell = Impossibile dirlo
verdict-invalid = Non ancora pronto
verdict-peak = picco { $peak } di { $budget } GiB
verdict-peak-mixed = picco { $peak } di { $budget }
verdict-peak-only = picco { $peak }
verdict-time = circa { $time }
verdict-time-unknown = tempo ancora sconosciuto
verdict-elsewhere = su { $machine }
verdict-line = Verdetto: { $text }
verdict-short-by = Mancano { $by } di { $pool }: { $phase }
verdict-short-hard = { $by } oltre il tuo limite: { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Disegna comunque
verdict-run-anyway-tip = Può rallentare tutto o fallire. Decidi tu.
verdict-run-anyway-sure = Sì, disegna
verdict-run-anyway-sure-tip = Comincia anche se mancano { $by }
verdict-elsewhere-note = Pianificato per un altro computer
verdict-back = Torna a questo computer

## Concessions, tiers, decodes
concession-phased = carica una parte alla volta
concession-streamed = legge il modello blocco per blocco
concession-tiled = decodifica a riquadri sfumati
tier-resident = residente
tier-phased = a fasi
tier-streamed = a flusso
tier-resident-tip = Tutto resta caricato tra un’immagine e l’altra
tier-phased-tip = È caricata una sola parte del modello alla volta
tier-streamed-tip = Il modello è letto blocco per blocco durante il calcolo
decode-whole = intero
decode-tiled = a riquadri
choice-both = { $tier }, decodifica { $decode }

## Pools
pool-host = memoria
pool-device = memoria grafica
pool-commit = memoria impegnata
pool-host-title = Memoria
pool-device-title = Memoria grafica
pool-commit-title = Memoria impegnata

## Why a reading is unknown
unknown-missing = qui nulla risponde
unknown-unreadable = la risposta è illeggibile
unknown-zero = riporta zero
unknown-above-total = più libera che totale
unknown-free-equals-total = il driver non conta gli altri programmi

## Remedies
remedy-size = Usa { $size }
remedy-single = Un’immagine alla volta
remedy-choice = Consenti { $choice }
remedy-raise-limit = Porta il limite a { $bytes }
remedy-close-others = Oppure chiudi programmi che occupano { $bytes }
remedy-grow-pagefile = Oppure lascia crescere il file di paging di { $bytes }
remedy-none = Ridurre non aiuta: questo modello è troppo grande per questo computer

## Phases
phase-load-text-encoder = caricamento del codificatore di testo
phase-encode = lettura della descrizione
phase-load-denoiser = caricamento del modello di disegno
phase-denoise = disegno
phase-load-vae = caricamento del decodificatore
phase-decode = decodifica
phase-save = salvataggio
phase-load-text-encoder-short = Carica testo
phase-encode-short = Testo
phase-load-denoiser-short = Carica
phase-denoise-short = Disegna
phase-load-vae-short = Carica VAE
phase-decode-short = Decodifica
phase-save-short = Salva

## Terms of a need
term-text-encoder-weights = Codificatore di testo
term-denoiser-weights = Modello di disegno
term-vae-weights = Decodificatore
term-loras = LoRA
term-activations = Attivazioni
term-workspace = Spazio di lavoro
term-embeddings = Embedding
term-latents = Latenti
term-pixels = Pixel
term-staging = Buffer
term-runtime = Programma

## Memory strip
memory-label = Memoria
gauge-others = altri { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = questa immagine { $bytes }
gauge-budget = spazio { $bytes }
gauge-total = di { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: gli altri occupano { $others }, Headroom occupa { $ours }, questa immagine arriva a { $peak }, c’è spazio per { $budget }, { $total } in tutto
gauge-others-name = Altri
gauge-ours-name = Headroom
gauge-peak-name = Questa immagine
gauge-room-name = Spazio
timeline-label = Piano
timeline-spoken = Piano per fase: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = previsto { $bytes }
timeline-measured = misurato { $bytes }
timeline-compare = Previsto { $planned }, misurato { $measured } ({ $error })
timeline-compare-short = Misurato { $measured } ({ $error })
timeline-within = { $percent } % in meno
timeline-over = { $percent } % in più
timeline-exact = come previsto
timeline-empty = Il piano appare qui quando tutto è compilato

## Viewer
empty-title = Che cosa disegniamo?
empty-body = Scrivilo a sinistra, o comincia da una di queste.
empty-example = Disegna: { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Immagine: { $prompt }
viewer-preview = Anteprima: { $prompt }
viewer-step = Passo { $step } di { $steps }
viewer-picture-of = Immagine { $n } di { $all }
viewer-elapsed = { $time } finora
viewer-left = restano { $time }
viewer-progress = Avanzamento: { $percent } per cento
viewer-starting = Avvio
viewer-stopping = Arresto
viewer-loading = { $done } di { $total }
viewer-seed = seme { $seed }
viewer-steps = { $steps ->
    [one] 1 passo
    [many] { $steps } di passi
   *[other] { $steps } passi
}
viewer-saving = salvataggio
viewer-saved = Salvata come { $path }
viewer-unsaved = Non salvata
viewer-reuse = Usa queste impostazioni
viewer-reuse-tip = Porta descrizione, dimensioni, seme e il resto nel modulo

## Queue and strip
queue-label = Coda
queue-empty = Nulla in attesa
queue-waiting = in attesa
queue-running = in disegno
queue-held = trattenuta: { $why }
queue-held-short = mancano { $by } di { $pool }
queue-remove = Togli “{ $prompt }” dalla coda
queue-retry = Riprova
queue-retry-tip = Ripianifica con la memoria libera adesso
queue-untitled = senza descrizione
strip-label = Questa sessione
strip-empty = Qui si raccolgono le tue immagini
strip-picture = Mostra l’immagine { $n }: { $prompt }

## Header
machine-label = Pianifica per
machine-this = Questo computer
machine-named = Questo computer ({ $name })
machine-tip = Vedi che cosa potrebbe disegnare un altro computer

## Fit map
map-title = Che cosa ci sta
map-body = Tutte le dimensioni da { $from } a { $to }. Fai clic per prenderne una.
map-cell = { $size }: { $verdict }
map-now = ora { $size }
map-label = Griglia delle dimensioni

## Settings
settings-title = Impostazioni
settings-theme = Tema
settings-theme-system = Sistema
settings-theme-light = Chiaro
settings-theme-dark = Scuro
settings-language = Lingua
settings-language-system = Sistema
settings-limit = Limite di memoria
settings-limit-on = Non superare mai
settings-limit-amount = Limite di memoria in GiB
settings-limit-note = Il limite è rigido: ciò che non ci sta non comincia mai.
shortcuts-title = Tastiera

## Notices
notice-busy = La coda del motore è piena
notice-busy-hint = L’immagine aspetta qui e comincia da sola.
notice-interrupted = Il programma è terminato mentre disegnava
notice-interrupted-hint = Quell’immagine non viene ridisegnata da sola e la coda è in pausa. Controllala, poi prosegui.
notice-queue-elsewhere = Un’altra finestra di Headroom tiene la coda
notice-queue-unkept = La coda non può essere conservata: { $why }
notice-queue-unkept-hint = Ciò che ordini qui viene disegnato, ma dimenticato alla chiusura di questa finestra.
notice-refused = Non ci sta più: { $what }
notice-refused-hint = Dalla richiesta è stata occupata memoria. Aspetta in coda; chiudi qualcosa e riprova.
notice-replanned = La memoria è cambiata: { $tier } invece di { $was }
notice-replanned-hint = L’immagine è la stessa, cambia solo il tempo.
notice-save-failed = Impossibile salvare l’immagine: { $why }
notice-save-failed-hint = È ancora qui. Controlla che la cartella esista e sia scrivibile.

## Failures
failure-cancelled = Fermato
failure-cancelled-hint = Nulla è perduto. “Disegna” ricomincia.
failure-guard = Fermato per proteggere la memoria: { $phase }
failure-guard-hint = Erano occupati { $live } invece dei { $planned } previsti. Prova una dimensione minore o chiudi altri programmi.
failure-refused = Non ci sta
failure-refused-hint = Non è stato caricato nulla. Scegli una delle modifiche proposte.
failure-model = Il file del modello è danneggiato o illeggibile: { $reason }
failure-model-hint = Procuratelo di nuovo o scegli un altro modello. File: { $path }
failure-device = Questa versione non può calcolare su { $device }
failure-device-hint = Scegli invece il processore.
failure-nan = Il modello ha prodotto valori che non sono numeri: { $phase }
failure-nan-hint = Di solito aiutano un altro seme o pesi più precisi.
failure-write = Impossibile scrivere l’immagine: { $reason }
failure-write-hint = Controlla spazio libero e permessi. Percorso: { $path }
failure-crash = Il motore si è bloccato ed è stato riavviato
failure-crash-hint = Coda e immagini sono al sicuro. Ha detto: { $what }

## Layout and ways
cmd-ways = Tutti i modi di disegnarla
cmd-ways-tip = Confronta i livelli: memoria, tempo e se ciascuno ci sta
cmd-side = Mostra o nascondi coda e immagini
cmd-side-tip = Mostra o nascondi coda e immagini
cmd-memory = Mostra o nascondi la striscia della memoria
cmd-memory-tip = Mostra o nascondi la striscia della memoria
cmd-zoom-in = Più grande
cmd-zoom-out = Più piccolo
cmd-zoom-reset = Dimensione abituale
cmd-zoom-tip = La dimensione di tutto nella finestra
ways-title = Tutti i modi di disegnare questa immagine
ways-body = Si prende il più rapido che ci sta. Fai clic su uno per consentire solo quello; l’immagine resta la stessa, solo i riquadri sfumati differiscono un po’.
ways-automatic = Automatico
ways-automatic-tip = Prendi il modo più rapido che ci sta
ways-pinned = Solo { $choice }
ways-tier = Livello
ways-decode = Decodifica
ways-time = Tempo
ways-verdict = Verdetto
ways-row = Disegna così: { $facts }
percent = { $n } %
settings-zoom = Dimensione di tutto
settings-zoom-choose = Mostra tutto al { $percent } per cento
pane-form = Che cosa disegnare
pane-viewer = L’immagine
pane-side = Coda e immagini
machine-own-files = Trascina un file di computer sulla finestra per aggiungerlo

## Dropped, opened, pasted
cmd-open = Apri file
cmd-open-tip = Immagini con impostazioni, modelli, file di computer; trascinarli sulla finestra fa lo stesso
drop-title = Rilascia per prenderlo
drop-looking = Esame in corso
drop-settings = Le sue impostazioni vanno nel modulo
drop-machine = Pianifica per { $name }
drop-model = Aggiungi questo modello: { $family }, { $bytes }
drop-nothing = Nulla da prendere: { $why }
drop-more = { $count ->
    [one] e un altro
    [many] e altri { $count }
   *[other] e altri { $count }
}
notice-restored = Impostazioni prese da { $name }
notice-restored-text = Impostazioni prese dal testo incollato
notice-restored-hint = Tutto ciò che dice ora è nel modulo.
notice-restored-left = Non ripreso: { $left }
notice-model-absent = Il modello “{ $model }” non c’è
notice-model-absent-hint = Il modello nel modulo è rimasto lo stesso. Trascina il modello sulla finestra per aggiungerlo.
notice-machine-added = Pianificazione per { $name }
notice-machine-added-hint = Resta nell’elenco dei computer.
notice-model-added = Modello aggiunto: { $name }
notice-model-added-hint = È scelto, con dimensioni e passi propri.
notice-not-taken = Nulla preso da { $name }
notice-not-taken-text = Nulla preso dal testo incollato
notice-not-taken-hint = Troppe cose insieme. Riprova tra un momento.
notice-too-many = { $most ->
    [one] Si prende un solo file alla volta
    [many] Si prendono solo { $most } file alla volta
   *[other] Si prendono solo { $most } file alla volta
}
notice-too-many-hint = Gli altri sono stati tralasciati.
drop-unknown = Nulla qui sa che farne
notice-not-known-hint = Headroom prende immagini con impostazioni, modelli e file di computer.

## Queue, seeds, undo
cmd-first = Disegna per prossima
cmd-first-tip = Prima di tutto ciò che aspetta
cmd-pause = Metti in pausa la coda
cmd-pause-tip = Ciò che è in corso finisce, nient’altro comincia
cmd-undo = Annulla
cmd-undo-tip = Annulla l’ultima modifica del modulo
cmd-redo = Ripristina
cmd-redo-tip = Rifai la modifica annullata
prompt-bracket = Una parentesi non ha la compagna
seed-fixed = Tieni questo seme
seed-fixed-tip = Lo stesso seme dà di nuovo la stessa immagine
seed-counting = Incrementa il seme
seed-counting-tip = Ogni ordine continua da dove finì il precedente
runs-label = Volte
runs-tip = Quante volte lo ordina un clic, ogni volta con il seme successivo
queue-go-on = Riprendi la coda
queue-clear = Togli tutto ciò che aspetta
queue-paused = In pausa: nient’altro comincia
queue-first = Disegna “{ $prompt }” per prossima
queue-up = Sposta avanti “{ $prompt }”
queue-down = Sposta indietro “{ $prompt }”

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = Impossibile aprire la finestra: { $why }
prompt-literal = Questo modello legge le parentesi come testo, non come pesi
distilled-label = Guida distillata
distilled-tip = Quanto l’immagine segue il testo, per i modelli che la prendono in ingresso; non costa tempo
rng-label = Rumore
rng-tip = Di chi sono i numeri casuali di un seme: CPU come ComfyUI e InvokeAI, NV come A1111
issue-not-offered = { $field }: questa scelta non va con questo modello
concession-banded = decodifica a fasce
decode-banded = a fasce
term-text-encoder-2-weights = Codificatore di testo 2
term-text-encoder-3-weights = Codificatore di testo 3
memory-spread = { $runs ->
    [one] Ultima esecuzione: { $low } %
    [many] Ultime { $runs } di esecuzioni: { $low } .. { $high } %
   *[other] Ultime { $runs } esecuzioni: { $low } .. { $high } %
}
memory-spread-tip = Di quanto le previsioni superavano il misurato
queue-kept = { $done } passi su { $all } conservati
queue-stopped = fermato
queue-interrupted = interrotta: era in corso quando il programma è terminato
queue-resume = Continua
queue-resume-tip = Riprende dal passo conservato, con la memoria libera adesso
failure-out-of-memory = Memoria esaurita durante: { $phase }
failure-out-of-memory-hint = Ne servivano altri { $bytes } e non c’erano. Ciò che è calcolato resta.
failure-spilled = Fermato prima che la scheda grafica traboccasse in memoria durante: { $phase }
failure-spilled-hint = Il driver aveva iniziato a spostare { $shared } nella memoria del computer. Ciò che è calcolato resta.
failure-died = Il processo di disegno è terminato durante: { $phase }
failure-died-start = Il processo di disegno è terminato all’avvio
failure-died-hint = Occupava { $live }, erano previsti { $planned }. Finestra e coda sono intatte, ciò che è calcolato resta.
death-killed = È stato chiuso dall’esterno, di solito dal sistema quando manca la memoria.
death-allocation = Ha chiesto altri { $bytes } di memoria, rifiutati.
death-commit = Il sistema non poteva promettergli altra memoria.
death-fault = Ha toccato memoria che non esiste: un errore di un driver o di questo programma.
death-aborted = Ha rinunciato da solo.
death-code = Il sistema riporta { $code }.
