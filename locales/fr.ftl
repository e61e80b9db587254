# Français.

app-name = Headroom
language-name = Français

## Commands: name and tooltip
cmd-generate = Dessiner
cmd-generate-tip = Dessiner cette image
cmd-queue = Ajouter à la file
cmd-queue-tip = Dessiner celle-ci après celles qui attendent déjà
cmd-stop = Arrêter
cmd-stop-tip = Arrêter le dessin ; les images terminées restent
cmd-settings = Réglages
cmd-settings-tip = Thème, langue et limite de mémoire
cmd-shortcuts = Raccourcis clavier
cmd-shortcuts-tip = Tout ce que fait le clavier
cmd-focus-prompt = Modifier la description
cmd-focus-prompt-tip = Placer le curseur dans la description
cmd-fit-map = Carte des tailles
cmd-fit-map-tip = Toutes les tailles d’un coup d’œil, colorées selon leur coût
cmd-swap = Échanger largeur et hauteur
cmd-swap-tip = Passer l’image du portrait au paysage, ou inversement
cmd-random-seed = Nouvelle graine
cmd-random-seed-tip = Tirer une autre graine et la garder
cmd-older = Image précédente
cmd-older-tip = Montrer l’image d’avant
cmd-newer = Image suivante
cmd-newer-tip = Montrer l’image d’après
cmd-theme = Basculer entre clair et sombre
cmd-theme-tip = Basculer entre clair et sombre

## Words used in many places
close = Fermer
dismiss = Masquer
not-known = inconnu
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } Mio
bytes-gib = { $n } Gio
time-under-second = moins de 1 s
time-seconds = { $s } s
time-minutes = { $m } min
time-minutes-seconds = { $m } min { $s } s
time-hours = { $h } h
time-hours-minutes = { $h } h { $m } min
size-pixels = { $width } × { $height }

## Prompt
prompt-label = Description
prompt-hint = Que dessinons-nous ?
negative-label = À éviter
negative-hint = Ce qui ne doit pas être dans l’image
model-label = Modèle
family-builtin = Intégré
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = Taille
width-label = Larg.
height-label = Haut.
width-exact = Largeur exacte
height-exact = Hauteur exacte
slider-verdict = { $label } : { $value } pixels, { $verdict }
aspect-choose = Format { $ratio }
aspect-lock = Verrouiller le format
aspect-lock-tip = Garder le rapport largeur/hauteur en glissant
size-native = Native
size-native-tip = La taille pour laquelle ce modèle est fait : { $size }
size-largest = La plus grande possible
size-largest-tip = La plus grande taille de ce format qui tient
size-snapped = Dessine { $to }
size-snapped-tip = Ce modèle dessine des multiples de { $multiple } pixels ; la taille la plus proche est prise

## Sampling
steps-label = Étapes
guidance-label = Guidage
guidance-tip = À quel point suivre la description ; 1 le désactive
seed-label = Graine
seed-random = Graine aléatoire
seed-random-tip = Tirer une nouvelle graine pour chaque image
more-label = Plus
batch-label = Images
batch-tip = Combien d’images à la fois, chacune avec la graine suivante
sampler-label = Échantillonneur
denoise-label = Force de débruitage
schedule-label = Calendrier
reset-label = Valeurs du modèle
reset-tip = Étapes, guidage et taille que ce modèle préfère

## Issues
issue-out-of-range = { $field } : entre { $min } et { $max } seulement
issue-not-a-number = { $field } : il faut un nombre
issue-too-long = { $field } : { $max } octets au plus
issue-control = { $field } : contient un caractère qu’aucun fichier ne peut porter

## Verdict
verdict-fits = Tient
verdict-fits-with = Tient, plus lentement
verdict-short = Ne tient pas
verdict-cannot-tell = Impossible à dire
verdict-invalid = Pas encore prêt
verdict-peak = pic { $peak } sur { $budget } Gio
verdict-peak-mixed = pic { $peak } sur { $budget }
verdict-peak-only = pic { $peak }
verdict-time = environ { $time }
verdict-time-unknown = durée encore inconnue
verdict-elsewhere = sur { $machine }
verdict-line = Verdict : { $text }
verdict-short-by = { $by } de trop en { $pool } : { $phase }
verdict-short-hard = { $by } au-dessus de votre limite : { $phase }
verdict-unknown-reading = { $pool } : { $why }
verdict-run-anyway = Dessiner quand même
verdict-run-anyway-tip = Tout peut ralentir ou échouer. À vous de décider.
verdict-run-anyway-sure = Oui, dessiner
verdict-run-anyway-sure-tip = Commence alors qu’il manque { $by }
verdict-elsewhere-note = Prévu pour une autre machine
verdict-back = Revenir à cette machine

## Concessions, tiers, decodes
concession-phased = charge une partie à la fois
concession-streamed = lit le modèle bloc par bloc
concession-tiled = décode en tuiles fondues
tier-resident = résident
tier-phased = par phases
tier-streamed = en flux
tier-resident-tip = Tout reste chargé entre les images
tier-phased-tip = Une seule partie du modèle est chargée à la fois
tier-streamed-tip = Le modèle est lu bloc par bloc pendant le calcul
decode-whole = entier
decode-tiled = en tuiles
choice-both = { $tier }, décodage { $decode }

## Pools
pool-host = mémoire
pool-device = mémoire graphique
pool-commit = mémoire engagée
pool-host-title = Mémoire
pool-device-title = Mémoire graphique
pool-commit-title = Mémoire engagée

## Why a reading is unknown
unknown-missing = rien ne répond ici
unknown-unreadable = la réponse est illisible
unknown-zero = indique zéro
unknown-above-total = plus de libre que de total
unknown-free-equals-total = le pilote ne compte pas les autres programmes

## Remedies
remedy-size = Prendre { $size }
remedy-single = Une image à la fois
remedy-choice = Autoriser { $choice }
remedy-raise-limit = Porter la limite à { $bytes }
remedy-close-others = Ou fermer des programmes qui tiennent { $bytes }
remedy-grow-pagefile = Ou laisser le fichier d’échange croître de { $bytes }
remedy-none = Réduire n’aide pas : ce modèle est trop grand pour cette machine

## Phases
phase-load-text-encoder = chargement de l’encodeur de texte
phase-encode = lecture de la description
phase-load-denoiser = chargement du débruiteur
phase-denoise = dessin
phase-load-vae = chargement du décodeur
phase-decode = décodage
phase-save = enregistrement
phase-load-text-encoder-short = Texte
phase-encode-short = Lire
phase-load-denoiser-short = Charger
phase-denoise-short = Dessiner
phase-load-vae-short = VAE
phase-decode-short = Décoder
phase-save-short = Garder

## Terms of a need
term-text-encoder-weights = Encodeur de texte
term-denoiser-weights = Débruiteur
term-vae-weights = Décodeur
term-loras = LoRA
term-activations = Activations
term-workspace = Espace de travail
term-embeddings = Plongements
term-latents = Latents
term-pixels = Pixels
term-staging = Tampons
term-runtime = Programme

## Memory strip
memory-label = Mémoire
gauge-others = autres { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = cette image { $bytes }
gauge-budget = place { $bytes }
gauge-total = sur { $bytes }
gauge-unknown = { $pool } : { $why }
gauge-spoken = { $pool } : les autres tiennent { $others }, Headroom tient { $ours }, cette image culmine à { $peak }, il y a place pour { $budget }, { $total } en tout
gauge-others-name = Autres
gauge-ours-name = Headroom
gauge-peak-name = Cette image
gauge-room-name = Place
timeline-label = Plan
timeline-spoken = Plan par phase : { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = prévu { $bytes }
timeline-measured = mesuré { $bytes }
timeline-compare = Prévu { $planned }, mesuré { $measured } ({ $error })
timeline-compare-short = Mesuré { $measured } ({ $error })
timeline-within = { $percent } % au-dessous
timeline-over = { $percent } % au-dessus
timeline-exact = comme prévu
timeline-empty = Le plan apparaît ici dès que tout est rempli

## Viewer
empty-title = Que dessinons-nous ?
empty-body = Écrivez-le à gauche, ou commencez avec l’une de celles-ci.
empty-example = Dessiner : { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Image : { $prompt }
viewer-preview = Aperçu : { $prompt }
viewer-step = Étape { $step } sur { $steps }
viewer-picture-of = Image { $n } sur { $all }
viewer-elapsed = { $time } écoulé
viewer-left = reste { $time }
viewer-progress = Avancement : { $percent } pour cent
viewer-starting = Démarrage
viewer-stopping = Arrêt en cours
viewer-loading = { $done } sur { $total }
viewer-seed = graine { $seed }
viewer-steps = { $steps ->
    [one] { $steps } étape
    [many] { $steps } d’étapes
   *[other] { $steps } étapes
}
viewer-saving = enregistrement en cours
viewer-saved = Enregistrée sous { $path }
viewer-unsaved = Pas enregistrée
viewer-reuse = Reprendre ces réglages
viewer-reuse-tip = Mettre description, taille, graine et le reste dans le formulaire

## Queue and strip
queue-label = File d’attente
queue-empty = Rien n’attend
queue-waiting = en attente
queue-running = en cours de dessin
queue-held = retenue : { $why }
queue-held-short = il manque { $by }, { $pool }
queue-remove = Retirer « { $prompt } » de la file
queue-retry = Réessayer
queue-retry-tip = Replanifier avec la mémoire libre maintenant
queue-untitled = sans description
strip-label = Cette session
strip-empty = Vos images s’assemblent ici
strip-picture = Montrer l’image { $n } : { $prompt }

## Header
machine-label = Prévoir pour
machine-this = Cette machine
machine-named = Cette machine ({ $name })
machine-tip = Voir ce qu’une autre machine pourrait dessiner

## Fit map
map-title = Ce qui tient
map-body = Toutes les tailles de { $from } à { $to }. Cliquez pour en prendre une.
map-cell = { $size } : { $verdict }
map-now = maintenant { $size }
map-label = Grille des tailles

## Settings
settings-title = Réglages
settings-theme = Thème
settings-theme-system = Système
settings-theme-light = Clair
settings-theme-dark = Sombre
settings-language = Langue
settings-language-system = Système
settings-limit = Limite de mémoire
settings-limit-on = Ne jamais dépasser
settings-limit-amount = Limite de mémoire en Gio
settings-limit-note = Une limite est stricte : ce qui ne tient pas ne commence jamais.
shortcuts-title = Clavier

## Notices
notice-busy = La file du dessinateur est pleine
notice-busy-hint = L’image attend ici et commence d’elle-même.
notice-interrupted = Le programme s’est arrêté pendant qu’il dessinait
notice-interrupted-hint = Cette image n’est pas redessinée d’elle-même et la file est en pause. Regardez-la, puis continuez.
notice-queue-elsewhere = Une autre fenêtre de Headroom tient la file
notice-queue-unkept = La file ne peut pas être conservée : { $why }
notice-queue-unkept-hint = Ce que vous commandez ici est dessiné, mais oublié à la fermeture de cette fenêtre.
notice-refused = Ne tient plus : { $what }
notice-refused-hint = De la mémoire a été prise depuis votre demande. L’image attend dans la file ; fermez quelque chose et réessayez.
notice-replanned = La mémoire a changé : { $tier } au lieu de { $was }
notice-replanned-hint = L’image est la même, seule la durée change.
notice-save-failed = L’image n’a pas pu être enregistrée : { $why }
notice-save-failed-hint = Elle est encore ici. Vérifiez que le dossier existe et qu’on peut y écrire.

## Failures
failure-cancelled = Arrêté
failure-cancelled-hint = Rien n’est perdu. « Dessiner » recommence.
failure-guard = Arrêté pour protéger la mémoire : { $phase }
failure-guard-hint = { $live } étaient occupés là où { $planned } étaient prévus. Essayez une taille plus petite ou fermez d’autres programmes.
failure-refused = Ne tient pas
failure-refused-hint = Rien n’a été chargé. Prenez l’un des changements proposés.
failure-model = Le fichier du modèle est abîmé ou illisible : { $reason }
failure-model-hint = Récupérez-le à nouveau ou choisissez un autre modèle. Fichier : { $path }
failure-device = Cette version ne peut pas calculer sur { $device }
failure-device-hint = Choisissez plutôt le processeur.
failure-nan = Le modèle a produit des valeurs qui ne sont pas des nombres : { $phase }
failure-nan-hint = Une autre graine ou des poids plus précis aident en général.
failure-write = L’image n’a pas pu être écrite : { $reason }
failure-write-hint = Vérifiez l’espace libre et les droits. Chemin : { $path }
failure-crash = Le moteur a planté et a été relancé
failure-crash-hint = Votre file et vos images sont en sûreté. Son message : { $what }

## Layout and ways
cmd-ways = Toutes les façons de dessiner
cmd-ways-tip = Comparer les niveaux : mémoire, durée, et si chacun tient
cmd-side = Montrer ou masquer la file et les images
cmd-side-tip = Montrer ou masquer la file et les images
cmd-memory = Montrer ou masquer la bande mémoire
cmd-memory-tip = Montrer ou masquer la bande mémoire
cmd-zoom-in = Plus grand
cmd-zoom-out = Plus petit
cmd-zoom-reset = Taille habituelle
cmd-zoom-tip = La taille de tout dans la fenêtre
ways-title = Toutes les façons de dessiner cette image
ways-body = La plus rapide qui tient est prise. Cliquez sur une façon pour n’autoriser qu’elle ; l’image reste la même, seules les tuiles fondues diffèrent un peu.
ways-automatic = Automatique
ways-automatic-tip = Prendre la façon la plus rapide qui tient
ways-pinned = Seulement { $choice }
ways-tier = Niveau
ways-decode = Décodage
ways-time = Durée
ways-verdict = Verdict
ways-row = Dessiner ainsi : { $facts }
percent = { $n } %
settings-zoom = Taille de tout
settings-zoom-choose = Tout montrer à { $percent } pour cent
pane-form = Que dessiner
pane-viewer = L’image
pane-side = File et images
machine-own-files = Déposez un fichier de machine sur la fenêtre pour en ajouter une

## Dropped, opened, pasted
cmd-open = Ouvrir des fichiers
cmd-open-tip = Images avec réglages, modèles, fichiers de machine ; les déposer sur la fenêtre fait de même
drop-title = Lâchez pour le prendre
drop-looking = Examen en cours
drop-settings = Ses réglages vont dans le formulaire
drop-machine = Prévoir pour { $name }
drop-model = Ajouter ce modèle : { $family }, { $bytes }
drop-nothing = Rien à prendre : { $why }
drop-more = { $count ->
    [one] et un de plus
    [many] et { $count } de plus
   *[other] et { $count } de plus
}
notice-restored = Réglages repris de { $name }
notice-restored-text = Réglages repris du texte collé
notice-restored-hint = Tout ce qui y figure est maintenant dans le formulaire.
notice-restored-left = Non repris : { $left }
notice-model-absent = Le modèle « { $model } » n’est pas là
notice-model-absent-hint = Le modèle du formulaire est resté le même. Déposez le modèle sur la fenêtre pour l’ajouter.
notice-machine-added = Prévu pour { $name }
notice-machine-added-hint = Elle reste dans la liste des machines.
notice-model-added = Modèle ajouté : { $name }
notice-model-added-hint = Il est choisi, avec sa propre taille et ses propres étapes.
notice-not-taken = Rien repris de { $name }
notice-not-taken-text = Rien repris du texte collé
notice-not-taken-hint = Trop de choses à la fois. Réessayez dans un instant.
notice-too-many = { $most ->
    [one] Un seul fichier est pris à la fois
    [many] Seuls { $most } fichiers sont pris à la fois
   *[other] Seuls { $most } fichiers sont pris à la fois
}
notice-too-many-hint = Les autres ont été laissés de côté.
drop-unknown = Rien ici ne sait qu’en faire
notice-not-known-hint = Headroom prend des images avec réglages, des modèles et des fichiers de machine.

## Queue, seeds, undo
cmd-first = Dessiner en premier
cmd-first-tip = Avant tout ce qui attend
cmd-pause = Mettre la file en pause
cmd-pause-tip = L’image en cours se termine, rien d’autre ne commence
cmd-undo = Annuler
cmd-undo-tip = Revenir sur le dernier changement du formulaire
cmd-redo = Rétablir
cmd-redo-tip = Refaire le changement annulé
prompt-bracket = Une parenthèse n’a pas de pendant
seed-fixed = Garder cette graine
seed-fixed-tip = La même graine redonne la même image
seed-counting = Incrémenter la graine
seed-counting-tip = Chaque demande reprend où la précédente s’est arrêtée
runs-label = Fois
runs-tip = Combien de fois un clic le demande, chaque fois avec la graine suivante
queue-go-on = Reprendre la file
queue-clear = Retirer tout ce qui attend
queue-paused = En pause : rien de plus ne commence
queue-first = Dessiner « { $prompt } » en premier
queue-up = Avancer « { $prompt } »
queue-down = Reculer « { $prompt } »

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = La fenêtre n’a pas pu être ouverte : { $why }
prompt-literal = Ce modèle lit les parenthèses comme du texte, pas comme des poids
distilled-label = Guidage distillé
distilled-tip = À quel point l’image suit le texte, pour les modèles qui le prennent en entrée ; ne coûte pas de temps
rng-label = Bruit
rng-tip = À qui sont les nombres aléatoires d’une graine : CPU comme ComfyUI et InvokeAI, NV comme A1111
issue-not-offered = { $field } : ce choix ne va pas avec ce modèle
concession-banded = décode bande par bande
decode-banded = par bandes
term-text-encoder-2-weights = Encodeur de texte 2
term-text-encoder-3-weights = Encodeur de texte 3
memory-spread = { $runs ->
    [one] Dernier calcul : { $low } %
    [many] { $runs } de derniers calculs : { $low } .. { $high } %
   *[other] { $runs } derniers calculs : { $low } .. { $high } %
}
memory-spread-tip = De combien les prévisions dépassaient la mesure
queue-kept = { $done } étapes sur { $all } gardées
queue-stopped = arrêté
queue-interrupted = interrompue : en cours quand le programme s’est arrêté
queue-resume = Continuer
queue-resume-tip = Reprend à l’étape gardée, avec la mémoire libre maintenant
failure-out-of-memory = Plus de mémoire pendant : { $phase }
failure-out-of-memory-hint = { $bytes } de plus étaient demandés et manquaient. Ce qui est calculé est gardé.
failure-spilled = Arrêté avant que la carte graphique ne déborde en mémoire pendant : { $phase }
failure-spilled-hint = Le pilote avait commencé à déplacer { $shared } vers la mémoire de l’ordinateur. Ce qui est calculé est gardé.
failure-died = Le processus de dessin s’est terminé pendant : { $phase }
failure-died-start = Le processus de dessin s’est terminé au démarrage
failure-died-hint = Il occupait { $live }, { $planned } étaient prévus. La fenêtre et la file sont intactes, ce qui est calculé est gardé.
death-killed = Il a été arrêté de l’extérieur, le plus souvent par le système quand la mémoire manque.
death-allocation = Il a demandé { $bytes } de mémoire en plus, refusés.
death-commit = Le système ne pouvait plus lui promettre de mémoire.
death-fault = Il a touché une mémoire qui n’existe pas : une erreur d’un pilote ou de ce programme.
death-aborted = Il a abandonné de lui-même.
death-code = Le système signale { $code }.
