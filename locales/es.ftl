# Español.

app-name = Headroom
language-name = Español

## Commands: name and tooltip
cmd-generate = Dibujar
cmd-generate-tip = Dibujar esta imagen
cmd-queue = Añadir a la cola
cmd-queue-tip = Dibujar esta después de las que ya esperan
cmd-stop = Detener
cmd-stop-tip = Detener el dibujo; las imágenes terminadas se quedan
cmd-settings = Ajustes
cmd-settings-tip = Tema, idioma y límite de memoria
cmd-shortcuts = Atajos de teclado
cmd-shortcuts-tip = Todo lo que hace el teclado
cmd-focus-prompt = Editar la descripción
cmd-focus-prompt-tip = Poner el cursor en la descripción
cmd-fit-map = Mapa de tamaños
cmd-fit-map-tip = Todos los tamaños de un vistazo, coloreados según lo que cuestan
cmd-swap = Intercambiar ancho y alto
cmd-swap-tip = Pasar la imagen de vertical a horizontal o al revés
cmd-random-seed = Nueva semilla
cmd-random-seed-tip = Sacar otra semilla y conservarla
cmd-older = Imagen anterior
cmd-older-tip = Mostrar la imagen de antes
cmd-newer = Imagen siguiente
cmd-newer-tip = Mostrar la imagen de después
cmd-theme = Alternar entre claro y oscuro
cmd-theme-tip = Alternar entre claro y oscuro

## Words used in many places
close = Cerrar
dismiss = Descartar
not-known = desconocido
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = menos de 1 s
time-seconds = { $s } s
time-minutes = { $m } min
time-minutes-seconds = { $m } min { $s } s
time-hours = { $h } h
time-hours-minutes = { $h } h { $m } min
size-pixels = { $width } × { $height }

## Prompt
prompt-label = Descripción
prompt-hint = ¿Qué dibujamos?
negative-label = Evitar
negative-hint = Lo que no debe salir en la imagen
model-label = Modelo
family-builtin = Incluido
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = Tamaño
width-label = Ancho
height-label = Alto
width-exact = Ancho exacto
height-exact = Alto exacto
slider-verdict = { $label }: { $value } píxeles, { $verdict }
aspect-choose = Proporción { $ratio }
aspect-lock = Bloquear la proporción
aspect-lock-tip = Mantener la relación entre ancho y alto al arrastrar
size-native = Nativo
size-native-tip = El tamaño para el que se hizo este modelo: { $size }
size-largest = El mayor que cabe
size-largest-tip = El mayor tamaño de esta proporción que cabe
size-snapped = Dibuja { $to }
size-snapped-tip = Este modelo dibuja múltiplos de { $multiple } píxeles; se toma el tamaño más cercano

## Sampling
steps-label = Pasos
guidance-label = Guía
guidance-tip = Con qué fidelidad seguir la descripción; 1 lo desactiva
seed-label = Semilla
seed-random = Semilla aleatoria
seed-random-tip = Sacar una semilla nueva para cada imagen
more-label = Más
batch-label = Imágenes
batch-tip = Cuántas imágenes a la vez, cada una con la semilla siguiente
sampler-label = Muestreador
denoise-label = Intensidad de eliminación de ruido
schedule-label = Planificador
reset-label = Valores del modelo
reset-tip = Pasos, guía y tamaño que este modelo prefiere

## Issues
issue-out-of-range = { $field }: solo entre { $min } y { $max }
issue-not-a-number = { $field }: debe ser un número
issue-too-long = { $field }: { $max } bytes como máximo
issue-control = { $field }: contiene un carácter que ningún archivo admite

## Verdict
verdict-fits = Cabe
verdict-fits-with = Cabe, más lento
verdict-short = No cabe
verdict-cannot-tell = No se sabe
verdict-invalid = Aún no está listo
verdict-peak = pico { $peak } de { $budget } GiB
verdict-peak-mixed = pico { $peak } de { $budget }
verdict-peak-only = pico { $peak }
verdict-time = unos { $time }
verdict-time-unknown = tiempo aún desconocido
verdict-elsewhere = en { $machine }
verdict-line = Veredicto: { $text }
verdict-short-by = Faltan { $by } de { $pool }: { $phase }
verdict-short-hard = { $by } por encima de tu límite: { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Dibujar igualmente
verdict-run-anyway-tip = Puede ralentizarlo todo o fallar. Tú decides.
verdict-run-anyway-sure = Sí, dibujar
verdict-run-anyway-sure-tip = Empieza aunque faltan { $by }
verdict-elsewhere-note = Planificado para otro equipo
verdict-back = Volver a este equipo

## Concessions, tiers, decodes
concession-phased = carga una parte cada vez
concession-streamed = lee el modelo bloque a bloque
concession-tiled = decodifica en teselas fundidas
tier-resident = residente
tier-phased = por fases
tier-streamed = por bloques
tier-resident-tip = Todo queda cargado entre imágenes
tier-phased-tip = Solo una parte del modelo está cargada cada vez
tier-streamed-tip = El modelo se lee bloque a bloque mientras calcula
decode-whole = entero
decode-tiled = en teselas
choice-both = { $tier }, decodificación { $decode }

## Pools
pool-host = memoria
pool-device = memoria gráfica
pool-commit = memoria comprometida
pool-host-title = Memoria
pool-device-title = Memoria gráfica
pool-commit-title = Memoria comprometida

## Why a reading is unknown
unknown-missing = aquí nada responde
unknown-unreadable = la respuesta no se pudo leer
unknown-zero = indica cero
unknown-above-total = más libre que total
unknown-free-equals-total = el controlador no cuenta otros programas

## Remedies
remedy-size = Usar { $size }
remedy-single = Una imagen cada vez
remedy-choice = Permitir { $choice }
remedy-raise-limit = Subir el límite a { $bytes }
remedy-close-others = O cerrar programas que ocupan { $bytes }
remedy-grow-pagefile = O dejar crecer el archivo de paginación { $bytes }
remedy-none = Reducir no ayuda: este modelo es demasiado grande para este equipo

## Phases
phase-load-text-encoder = cargar el codificador de texto
phase-encode = leer la descripción
phase-load-denoiser = cargar el modelo de dibujo
phase-denoise = dibujar
phase-load-vae = cargar el decodificador
phase-decode = decodificar
phase-save = guardar
phase-load-text-encoder-short = Cargar texto
phase-encode-short = Texto
phase-load-denoiser-short = Cargar
phase-denoise-short = Dibujar
phase-load-vae-short = Cargar VAE
phase-decode-short = Decodificar
phase-save-short = Guardar

## Terms of a need
term-text-encoder-weights = Codificador de texto
term-denoiser-weights = Modelo de dibujo
term-vae-weights = Decodificador
term-loras = LoRA
term-activations = Activaciones
term-workspace = Espacio de trabajo
term-embeddings = Incrustaciones
term-latents = Latentes
term-pixels = Píxeles
term-staging = Búferes
term-runtime = Programa

## Memory strip
memory-label = Memoria
gauge-others = otros { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = esta imagen { $bytes }
gauge-budget = sitio { $bytes }
gauge-total = de { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: otros ocupan { $others }, Headroom ocupa { $ours }, esta imagen llega a { $peak }, hay sitio para { $budget }, { $total } en total
gauge-others-name = Otros
gauge-ours-name = Headroom
gauge-peak-name = Esta imagen
gauge-room-name = Sitio
timeline-label = Plan
timeline-spoken = Plan por fase: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = previsto { $bytes }
timeline-measured = medido { $bytes }
timeline-compare = Previsto { $planned }, medido { $measured } ({ $error })
timeline-compare-short = Medido { $measured } ({ $error })
timeline-within = { $percent } % menos
timeline-over = { $percent } % más
timeline-exact = como estaba previsto
timeline-empty = El plan aparece aquí cuando todo está completo

## Viewer
empty-title = ¿Qué dibujamos?
empty-body = Escríbelo a la izquierda o empieza con una de estas.
empty-example = Dibujar: { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Imagen: { $prompt }
viewer-preview = Vista previa: { $prompt }
viewer-step = Paso { $step } de { $steps }
viewer-picture-of = Imagen { $n } de { $all }
viewer-elapsed = { $time } hasta ahora
viewer-left = quedan { $time }
viewer-progress = Progreso: { $percent } por ciento
viewer-starting = Empezando
viewer-stopping = Deteniendo
viewer-loading = { $done } de { $total }
viewer-seed = semilla { $seed }
viewer-steps = { $steps ->
    [one] 1 paso
    [many] { $steps } de pasos
   *[other] { $steps } pasos
}
viewer-saving = guardando
viewer-saved = Guardada como { $path }
viewer-unsaved = No guardada
viewer-reuse = Usar estos ajustes
viewer-reuse-tip = Llevar descripción, tamaño, semilla y lo demás al formulario

## Queue and strip
queue-label = Cola
queue-empty = Nada espera
queue-waiting = esperando
queue-running = dibujando
queue-held = retenida: { $why }
queue-held-short = faltan { $by } de { $pool }
queue-remove = Quitar «{ $prompt }» de la cola
queue-retry = Reintentar
queue-retry-tip = Volver a planificar con la memoria libre ahora
queue-untitled = sin descripción
strip-label = Esta sesión
strip-empty = Aquí se reúnen tus imágenes
strip-picture = Mostrar la imagen { $n }: { $prompt }

## Header
machine-label = Planificar para
machine-this = Este equipo
machine-named = Este equipo ({ $name })
machine-tip = Ver qué podría dibujar otro equipo

## Fit map
map-title = Qué cabe
map-body = Todos los tamaños de { $from } a { $to }. Haz clic para tomar uno.
map-cell = { $size }: { $verdict }
map-now = ahora { $size }
map-label = Cuadrícula de tamaños

## Settings
settings-title = Ajustes
settings-theme = Tema
settings-theme-system = Sistema
settings-theme-light = Claro
settings-theme-dark = Oscuro
settings-language = Idioma
settings-language-system = Sistema
settings-limit = Límite de memoria
settings-limit-on = No usar nunca más de
settings-limit-amount = Límite de memoria en GiB
settings-limit-note = El límite es estricto: lo que no cabe nunca empieza.
shortcuts-title = Teclado

## Notices
notice-busy = La cola del motor está llena
notice-busy-hint = La imagen espera aquí y empieza sola.
notice-interrupted = El programa terminó mientras dibujaba
notice-interrupted-hint = Esa imagen no se vuelve a dibujar sola y la cola está en pausa. Revísela y continúe.
notice-queue-elsewhere = Otra ventana de Headroom lleva la cola
notice-queue-unkept = La cola no se puede guardar: { $why }
notice-queue-unkept-hint = Lo que pida aquí se dibuja, pero se olvida al cerrar esta ventana.
notice-refused = Ya no cabe: { $what }
notice-refused-hint = Se ocupó memoria desde que lo pediste. Espera en la cola; cierra algo y vuelve a intentarlo.
notice-replanned = La memoria cambió: { $tier } en lugar de { $was }
notice-replanned-hint = La imagen es la misma, solo cambia el tiempo.
notice-save-failed = No se pudo guardar la imagen: { $why }
notice-save-failed-hint = Sigue aquí. Comprueba que la carpeta existe y se puede escribir en ella.

## Failures
failure-cancelled = Detenido
failure-cancelled-hint = No se perdió nada. «Dibujar» empieza de nuevo.
failure-guard = Detenido para proteger la memoria: { $phase }
failure-guard-hint = Se ocupaban { $live } donde se preveían { $planned }. Prueba un tamaño menor o cierra otros programas.
failure-refused = No cabe
failure-refused-hint = No se cargó nada. Elige uno de los cambios propuestos.
failure-model = El archivo del modelo está dañado o no se puede leer: { $reason }
failure-model-hint = Consíguelo de nuevo o elige otro modelo. Archivo: { $path }
failure-device = Esta versión no puede calcular en { $device }
failure-device-hint = Elige el procesador.
failure-nan = El modelo produjo valores que no son números: { $phase }
failure-nan-hint = Otra semilla o pesos más precisos suelen ayudar.
failure-write = No se pudo escribir la imagen: { $reason }
failure-write-hint = Comprueba el espacio libre y los permisos. Ruta: { $path }
failure-crash = El motor falló y se reinició
failure-crash-hint = Tu cola y tus imágenes están a salvo. Dijo: { $what }

## Layout and ways
cmd-ways = Todas las formas de dibujarla
cmd-ways-tip = Comparar los niveles: memoria, tiempo y si cada uno cabe
cmd-side = Mostrar u ocultar la cola y las imágenes
cmd-side-tip = Mostrar u ocultar la cola y las imágenes
cmd-memory = Mostrar u ocultar la franja de memoria
cmd-memory-tip = Mostrar u ocultar la franja de memoria
cmd-zoom-in = Más grande
cmd-zoom-out = Más pequeño
cmd-zoom-reset = Tamaño habitual
cmd-zoom-tip = El tamaño de todo en la ventana
ways-title = Todas las formas de dibujar esta imagen
ways-body = Se toma la más rápida que cabe. Haz clic en una para permitir solo esa; la imagen es la misma, solo las teselas fundidas difieren un poco.
ways-automatic = Automático
ways-automatic-tip = Tomar la forma más rápida que cabe
ways-pinned = Solo { $choice }
ways-tier = Nivel
ways-decode = Decodificación
ways-time = Tiempo
ways-verdict = Veredicto
ways-row = Dibujar así: { $facts }
percent = { $n } %
settings-zoom = Tamaño de todo
settings-zoom-choose = Mostrar todo al { $percent } por ciento
pane-form = Qué dibujar
pane-viewer = La imagen
pane-side = Cola e imágenes
machine-own-files = Suelta un archivo de equipo en la ventana para añadir uno

## Dropped, opened, pasted
cmd-open = Abrir archivos
cmd-open-tip = Imágenes con ajustes, modelos, archivos de equipo; soltarlos en la ventana hace lo mismo
drop-title = Suelta para tomarlo
drop-looking = Mirándolo
drop-settings = Sus ajustes pasan al formulario
drop-machine = Planificar para { $name }
drop-model = Añadir este modelo: { $family }, { $bytes }
drop-nothing = Nada que tomar: { $why }
drop-more = { $count ->
    [one] y uno más
    [many] y { $count } más
   *[other] y { $count } más
}
notice-restored = Ajustes tomados de { $name }
notice-restored-text = Ajustes tomados del texto pegado
notice-restored-hint = Todo lo que dice está ahora en el formulario.
notice-restored-left = No se tomó: { $left }
notice-model-absent = El modelo «{ $model }» no está aquí
notice-model-absent-hint = El modelo del formulario no cambió. Suelta el modelo en la ventana para añadirlo.
notice-machine-added = Planificando para { $name }
notice-machine-added-hint = Queda en la lista de equipos.
notice-model-added = Modelo añadido: { $name }
notice-model-added-hint = Está elegido, con su propio tamaño y sus propios pasos.
notice-not-taken = No se tomó nada de { $name }
notice-not-taken-text = No se tomó nada del texto pegado
notice-not-taken-hint = Llegó demasiado a la vez. Vuelve a intentarlo enseguida.
notice-too-many = { $most ->
    [one] Solo se toma un archivo a la vez
    [many] Solo se toman { $most } archivos a la vez
   *[other] Solo se toman { $most } archivos a la vez
}
notice-too-many-hint = Los demás quedaron fuera.
drop-unknown = Nada aquí sabe qué hacer con esto
notice-not-known-hint = Headroom toma imágenes con ajustes, modelos y archivos de equipo.

## Queue, seeds, undo
cmd-first = Dibujar el siguiente
cmd-first-tip = Antes que todo lo que espera
cmd-pause = Pausar la cola
cmd-pause-tip = Se termina lo que se dibuja y no empieza nada más
cmd-undo = Deshacer
cmd-undo-tip = Deshacer el último cambio del formulario
cmd-redo = Rehacer
cmd-redo-tip = Volver a hacer el cambio deshecho
prompt-bracket = Un paréntesis no tiene pareja
seed-fixed = Conservar esta semilla
seed-fixed-tip = La misma semilla da otra vez la misma imagen
seed-counting = Aumentar la semilla
seed-counting-tip = Cada pedido sigue donde acabó el anterior
runs-label = Veces
runs-tip = Cuántas veces lo pide un clic, cada vez con la semilla siguiente
queue-go-on = Continuar la cola
queue-clear = Quitar todo lo que espera
queue-paused = En pausa: no empieza nada más
queue-first = Dibujar «{ $prompt }» el siguiente
queue-up = Adelantar «{ $prompt }»
queue-down = Retrasar «{ $prompt }»

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = La ventana no se pudo abrir: { $why }
prompt-literal = Este modelo lee los paréntesis como texto, no como pesos
distilled-label = Guía destilada
distilled-tip = Cuánto sigue la imagen al texto, en modelos que lo toman como entrada; no cuesta tiempo
rng-label = Ruido
rng-tip = De quién son los números aleatorios de una semilla: CPU como ComfyUI e InvokeAI, NV como A1111
issue-not-offered = { $field }: esta opción no va con este modelo
concession-banded = decodifica por bandas
decode-banded = por bandas
term-text-encoder-2-weights = Codificador de texto 2
term-text-encoder-3-weights = Codificador de texto 3
memory-spread = { $runs ->
    [one] Última ejecución: { $low } %
    [many] Últimas { $runs } de ejecuciones: { $low } .. { $high } %
   *[other] Últimas { $runs } ejecuciones: { $low } .. { $high } %
}
memory-spread-tip = Cuánto superaron las previsiones a lo medido
queue-kept = { $done } de { $all } pasos guardados
queue-stopped = detenido
queue-interrupted = interrumpida: se dibujaba cuando terminó el programa
queue-resume = Continuar
queue-resume-tip = Continúa desde el paso guardado, con la memoria libre de ahora
failure-out-of-memory = Sin memoria durante: { $phase }
failure-out-of-memory-hint = Se pidieron { $bytes } más y no los había. Lo calculado se conserva.
failure-spilled = Detenido antes de que la tarjeta gráfica pasara a la memoria del equipo durante: { $phase }
failure-spilled-hint = El controlador había empezado a mover { $shared } a la memoria del equipo. Lo calculado se conserva.
failure-died = El proceso de dibujo terminó durante: { $phase }
failure-died-start = El proceso de dibujo terminó al arrancar
failure-died-hint = Ocupaba { $live }, estaban previstos { $planned }. La ventana y la cola siguen intactas, lo calculado se conserva.
death-killed = Fue terminado desde fuera, casi siempre por el sistema cuando falta memoria.
death-allocation = Pidió { $bytes } más de memoria y se le negó.
death-commit = El sistema no podía prometerle más memoria.
death-fault = Tocó memoria que no existe: un fallo de un controlador o de este programa.
death-aborted = Se rindió por sí mismo.
death-code = El sistema informa { $code }.
