# Português do Brasil.

app-name = Headroom
language-name = Português (Brasil)

## Commands: name and tooltip
cmd-generate = Desenhar
cmd-generate-tip = Desenhar esta imagem
cmd-queue = Pôr na fila
cmd-queue-tip = Desenhar esta depois das que já esperam
cmd-stop = Parar
cmd-stop-tip = Parar o desenho; as imagens prontas ficam
cmd-settings = Configurações
cmd-settings-tip = Tema, idioma e limite de memória
cmd-shortcuts = Atalhos do teclado
cmd-shortcuts-tip = Tudo o que o teclado faz
cmd-focus-prompt = Editar a descrição
cmd-focus-prompt-tip = Pôr o cursor na descrição
cmd-fit-map = Mapa de tamanhos
cmd-fit-map-tip = Todos os tamanhos de relance, coloridos pelo que custam
cmd-swap = Trocar largura e altura
cmd-swap-tip = Virar a imagem de retrato para paisagem ou vice-versa
cmd-random-seed = Nova semente
cmd-random-seed-tip = Sortear outra semente e mantê-la
cmd-older = Imagem anterior
cmd-older-tip = Mostrar a imagem de antes
cmd-newer = Próxima imagem
cmd-newer-tip = Mostrar a imagem de depois
cmd-theme = Alternar entre claro e escuro
cmd-theme-tip = Alternar entre claro e escuro

## Words used in many places
close = Fechar
dismiss = Dispensar
not-known = desconhecido
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
prompt-label = Descrição
prompt-hint = O que vamos desenhar?
negative-label = Evitar
negative-hint = O que não deve aparecer na imagem
model-label = Modelo
family-builtin = Embutido
family-z-image-turbo = Z-Image Turbo
family-z-image = Z-Image

## Size
size-label = Tamanho
width-label = Larg.
height-label = Altura
width-exact = Largura exata
height-exact = Altura exata
slider-verdict = { $label }: { $value } pixels, { $verdict }
aspect-choose = Proporção { $ratio }
aspect-lock = Travar a proporção
aspect-lock-tip = Manter a relação entre largura e altura ao arrastar
size-native = Nativo
size-native-tip = O tamanho para o qual este modelo foi feito: { $size }
size-largest = O maior que cabe
size-largest-tip = O maior tamanho desta proporção que cabe
size-snapped = Desenha { $to }
size-snapped-tip = Este modelo desenha múltiplos de { $multiple } pixels; usa-se o tamanho mais próximo

## Sampling
steps-label = Passos
guidance-label = Orientação
guidance-tip = Quanto seguir a descrição; 1 desliga
seed-label = Semente
seed-random = Semente aleatória
seed-random-tip = Sortear uma semente nova para cada imagem
more-label = Mais
batch-label = Imagens
batch-tip = Quantas imagens de uma vez, cada uma com a semente seguinte
sampler-label = Amostrador
denoise-label = Força de remoção de ruído
schedule-label = Agendamento
reset-label = Padrões do modelo
reset-tip = Passos, orientação e tamanho que este modelo prefere

## Issues
issue-out-of-range = { $field }: somente entre { $min } e { $max }
issue-not-a-number = { $field }: deve ser um número
issue-too-long = { $field }: no máximo { $max } bytes
issue-control = { $field }: contém um caractere que nenhum arquivo aceita

## Verdict
verdict-fits = Cabe
verdict-fits-with = Cabe, mais devagar
verdict-short = Não cabe
verdict-cannot-tell = Não dá para saber
verdict-invalid = Ainda não está pronto
verdict-peak = pico { $peak } de { $budget } GiB
verdict-peak-mixed = pico { $peak } de { $budget }
verdict-peak-only = pico { $peak }
verdict-time = cerca de { $time }
verdict-time-unknown = tempo ainda desconhecido
verdict-elsewhere = em { $machine }
verdict-line = Veredito: { $text }
verdict-short-by = Faltam { $by } de { $pool }: { $phase }
verdict-short-hard = { $by } acima do seu limite: { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Desenhar mesmo assim
verdict-run-anyway-tip = Pode deixar tudo lento ou falhar. Você decide.
verdict-run-anyway-sure = Sim, desenhar
verdict-run-anyway-sure-tip = Começa embora faltem { $by }
verdict-elsewhere-note = Planejado para outra máquina
verdict-back = Voltar a esta máquina

## Concessions, tiers, decodes
concession-phased = carrega uma parte de cada vez
concession-streamed = lê o modelo bloco a bloco
concession-tiled = decodifica em blocos mesclados
tier-resident = residente
tier-phased = por fases
tier-streamed = em fluxo
tier-resident-tip = Tudo fica carregado entre as imagens
tier-phased-tip = Só uma parte do modelo fica carregada de cada vez
tier-streamed-tip = O modelo é lido bloco a bloco durante o cálculo
decode-whole = inteiro
decode-tiled = em blocos
choice-both = { $tier }, decodificação { $decode }

## Pools
pool-host = memória
pool-device = memória gráfica
pool-commit = memória confirmada
pool-host-title = Memória
pool-device-title = Memória gráfica
pool-commit-title = Memória confirmada

## Why a reading is unknown
unknown-missing = nada responde aqui
unknown-unreadable = a resposta não pôde ser lida
unknown-zero = indica zero
unknown-above-total = mais livre que o total
unknown-free-equals-total = o driver não conta outros programas

## Remedies
remedy-size = Usar { $size }
remedy-single = Uma imagem de cada vez
remedy-choice = Permitir { $choice }
remedy-raise-limit = Aumentar o limite para { $bytes }
remedy-close-others = Ou fechar programas que ocupam { $bytes }
remedy-grow-pagefile = Ou deixar o arquivo de paginação crescer { $bytes }
remedy-none = Diminuir não ajuda: este modelo é grande demais para esta máquina

## Phases
phase-load-text-encoder = carregar o codificador de texto
phase-encode = ler a descrição
phase-load-denoiser = carregar o modelo de desenho
phase-denoise = desenhar
phase-load-vae = carregar o decodificador
phase-decode = decodificar
phase-save = salvar
phase-load-text-encoder-short = Carregar texto
phase-encode-short = Texto
phase-load-denoiser-short = Carregar
phase-denoise-short = Desenhar
phase-load-vae-short = Carregar VAE
phase-decode-short = Decodificar
phase-save-short = Salvar

## Terms of a need
term-text-encoder-weights = Codificador de texto
term-denoiser-weights = Modelo de desenho
term-vae-weights = Decodificador
term-loras = LoRA
term-activations = Ativações
term-workspace = Espaço de trabalho
term-embeddings = Embeddings
term-latents = Latentes
term-pixels = Pixels
term-staging = Buffers
term-runtime = Programa

## Memory strip
memory-label = Memória
gauge-others = outros { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = esta imagem { $bytes }
gauge-budget = espaço { $bytes }
gauge-total = de { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: outros ocupam { $others }, Headroom ocupa { $ours }, esta imagem chega a { $peak }, há espaço para { $budget }, { $total } ao todo
gauge-others-name = Outros
gauge-ours-name = Headroom
gauge-peak-name = Esta imagem
gauge-room-name = Espaço
timeline-label = Plano
timeline-spoken = Plano por fase: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = previsto { $bytes }
timeline-measured = medido { $bytes }
timeline-compare = Previsto { $planned }, medido { $measured } ({ $error })
timeline-compare-short = Medido { $measured } ({ $error })
timeline-within = { $percent } % abaixo
timeline-over = { $percent } % acima
timeline-exact = como previsto
timeline-empty = O plano aparece aqui quando tudo estiver preenchido

## Viewer
empty-title = O que vamos desenhar?
empty-body = Escreva à esquerda ou comece com uma destas.
empty-example = Desenhar: { $prompt }
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Imagem: { $prompt }
viewer-preview = Prévia: { $prompt }
viewer-step = Passo { $step } de { $steps }
viewer-picture-of = Imagem { $n } de { $all }
viewer-elapsed = { $time } até agora
viewer-left = faltam { $time }
viewer-progress = Progresso: { $percent } por cento
viewer-starting = Iniciando
viewer-stopping = Parando
viewer-loading = { $done } de { $total }
viewer-seed = semente { $seed }
viewer-steps = { $steps ->
    [one] { $steps } passo
    [many] { $steps } de passos
   *[other] { $steps } passos
}
viewer-saving = salvando
viewer-saved = Salva como { $path }
viewer-unsaved = Não salva
viewer-reuse = Usar estas configurações
viewer-reuse-tip = Levar descrição, tamanho, semente e o resto ao formulário

## Queue and strip
queue-label = Fila
queue-empty = Nada esperando
queue-waiting = esperando
queue-running = desenhando
queue-held = retida: { $why }
queue-held-short = faltam { $by } de { $pool }
queue-remove = Tirar “{ $prompt }” da fila
queue-retry = Tentar de novo
queue-retry-tip = Planejar de novo com a memória livre agora
queue-untitled = sem descrição
strip-label = Esta sessão
strip-empty = Suas imagens se juntam aqui
strip-picture = Mostrar a imagem { $n }: { $prompt }

## Header
machine-label = Planejar para
machine-this = Esta máquina
machine-named = Esta máquina ({ $name })
machine-tip = Ver o que outra máquina poderia desenhar

## Fit map
map-title = O que cabe
map-body = Todos os tamanhos de { $from } a { $to }. Clique para usar um.
map-cell = { $size }: { $verdict }
map-now = agora { $size }
map-label = Grade de tamanhos

## Settings
settings-title = Configurações
settings-theme = Tema
settings-theme-system = Sistema
settings-theme-light = Claro
settings-theme-dark = Escuro
settings-language = Idioma
settings-language-system = Sistema
settings-limit = Limite de memória
settings-limit-on = Nunca usar mais que
settings-limit-amount = Limite de memória em GiB
settings-limit-note = O limite é rígido: o que não cabe nunca começa.
shortcuts-title = Teclado

## Notices
notice-busy = A fila do motor está cheia
notice-busy-hint = A imagem espera aqui e começa sozinha.
notice-interrupted = O programa terminou enquanto desenhava
notice-interrupted-hint = Essa imagem não é desenhada de novo sozinha, e a fila está em pausa. Confira e continue.
notice-queue-elsewhere = Outra janela do Headroom cuida da fila
notice-queue-unkept = A fila não pode ser guardada: { $why }
notice-queue-unkept-hint = O que você pedir aqui é desenhado, mas esquecido quando esta janela fecha.
notice-refused = Não cabe mais: { $what }
notice-refused-hint = A memória foi ocupada desde o pedido. Ela espera na fila; feche algo e tente de novo.
notice-replanned = A memória mudou: { $tier } em vez de { $was }
notice-replanned-hint = A imagem é a mesma, só o tempo muda.
notice-save-failed = Não foi possível salvar a imagem: { $why }
notice-save-failed-hint = Ela ainda está aqui. Verifique se a pasta existe e pode ser escrita.

## Failures
failure-cancelled = Parado
failure-cancelled-hint = Nada se perdeu. “Desenhar” começa de novo.
failure-guard = Parado para proteger a memória: { $phase }
failure-guard-hint = Ocupavam-se { $live } onde se previam { $planned }. Tente um tamanho menor ou feche outros programas.
failure-refused = Não cabe
failure-refused-hint = Nada foi carregado. Use uma das mudanças oferecidas.
failure-model = O arquivo do modelo está danificado ou ilegível: { $reason }
failure-model-hint = Baixe de novo ou escolha outro modelo. Arquivo: { $path }
failure-device = Esta versão não pode calcular em { $device }
failure-device-hint = Escolha o processador.
failure-nan = O modelo produziu valores que não são números: { $phase }
failure-nan-hint = Outra semente ou pesos mais precisos costumam ajudar.
failure-write = Não foi possível gravar a imagem: { $reason }
failure-write-hint = Verifique o espaço livre e as permissões. Caminho: { $path }
failure-crash = O motor falhou e foi reiniciado
failure-crash-hint = Sua fila e suas imagens estão seguras. Ele disse: { $what }

## Layout and ways
cmd-ways = Todas as formas de desenhar
cmd-ways-tip = Comparar os níveis: memória, tempo e se cada um cabe
cmd-side = Mostrar ou ocultar a fila e as imagens
cmd-side-tip = Mostrar ou ocultar a fila e as imagens
cmd-memory = Mostrar ou ocultar a faixa de memória
cmd-memory-tip = Mostrar ou ocultar a faixa de memória
cmd-zoom-in = Maior
cmd-zoom-out = Menor
cmd-zoom-reset = Tamanho habitual
cmd-zoom-tip = O tamanho de tudo na janela
ways-title = Todas as formas de desenhar esta imagem
ways-body = Usa-se a mais rápida que cabe. Clique em uma para permitir só ela; a imagem é a mesma, só os blocos mesclados diferem um pouco.
ways-automatic = Automático
ways-automatic-tip = Usar a forma mais rápida que cabe
ways-pinned = Somente { $choice }
ways-tier = Nível
ways-decode = Decodificação
ways-time = Tempo
ways-verdict = Veredito
ways-row = Desenhar assim: { $facts }
percent = { $n } %
settings-zoom = Tamanho de tudo
settings-zoom-choose = Mostrar tudo a { $percent } por cento
pane-form = O que desenhar
pane-viewer = A imagem
pane-side = Fila e imagens
machine-own-files = Solte um arquivo de máquina na janela para adicionar uma

## Dropped, opened, pasted
cmd-open = Abrir arquivos
cmd-open-tip = Imagens com configurações, modelos, arquivos de máquina; soltá-los na janela faz o mesmo
drop-title = Solte para usar
drop-looking = Examinando
drop-settings = As configurações vão para o formulário
drop-machine = Planejar para { $name }
drop-model = Adicionar este modelo: { $family }, { $bytes }
drop-nothing = Nada a usar: { $why }
drop-more = { $count ->
    [one] e mais um
    [many] e mais { $count }
   *[other] e mais { $count }
}
notice-restored = Configurações vindas de { $name }
notice-restored-text = Configurações vindas do texto colado
notice-restored-hint = Tudo o que diz está agora no formulário.
notice-restored-left = Não usado: { $left }
notice-model-absent = O modelo “{ $model }” não está aqui
notice-model-absent-hint = O modelo do formulário ficou como estava. Solte o modelo na janela para adicioná-lo.
notice-machine-added = Planejando para { $name }
notice-machine-added-hint = Fica na lista de máquinas.
notice-model-added = Modelo adicionado: { $name }
notice-model-added-hint = Está escolhido, com tamanho e passos próprios.
notice-not-taken = Nada foi usado de { $name }
notice-not-taken-text = Nada foi usado do texto colado
notice-not-taken-hint = Veio coisa demais de uma vez. Tente de novo em instantes.
notice-too-many = { $most ->
    [one] Só um arquivo por vez
    [many] Só { $most } arquivos por vez
   *[other] Só { $most } arquivos por vez
}
notice-too-many-hint = Os outros ficaram de fora.
drop-unknown = Nada aqui sabe o que fazer com isto
notice-not-known-hint = Headroom aceita imagens com configurações, modelos e arquivos de máquina.

## Queue, seeds, undo
cmd-first = Desenhar a seguir
cmd-first-tip = Antes de tudo o que espera
cmd-pause = Pausar a fila
cmd-pause-tip = O que está sendo desenhado termina, nada mais começa
cmd-undo = Desfazer
cmd-undo-tip = Desfazer a última mudança do formulário
cmd-redo = Refazer
cmd-redo-tip = Fazer de novo a mudança desfeita
prompt-bracket = Um parêntese não tem par
seed-fixed = Manter esta semente
seed-fixed-tip = A mesma semente dá a mesma imagem de novo
seed-counting = Incrementar a semente
seed-counting-tip = Cada pedido continua onde o último terminou
runs-label = Vezes
runs-tip = Quantas vezes um clique pede, cada vez com a semente seguinte
queue-go-on = Continuar a fila
queue-clear = Tirar tudo o que espera
queue-paused = Em pausa: nada mais começa
queue-first = Desenhar “{ $prompt }” a seguir
queue-up = Adiantar “{ $prompt }”
queue-down = Atrasar “{ $prompt }”

## Families, kept work, endings
family-sd1 = Stable Diffusion 1
family-sd2 = Stable Diffusion 2
family-sd-turbo = SD-Turbo
family-sdxl = Stable Diffusion XL
family-sdxl-turbo = SDXL-Turbo
family-sdxl-refiner = SDXL Refiner
family-flux1-dev = FLUX.1 dev
family-flux1-schnell = FLUX.1 schnell
app-no-window = Não foi possível abrir a janela: { $why }
prompt-literal = Este modelo lê parênteses como texto, não como pesos
distilled-label = Orientação destilada
distilled-tip = O quanto a imagem segue o texto, em modelos que a recebem como entrada; não custa tempo
rng-label = Ruído
rng-tip = De quem são os números aleatórios de uma semente: CPU como no ComfyUI e no InvokeAI, NV como no A1111
issue-not-offered = { $field }: esta opção não combina com este modelo
concession-banded = decodifica por faixas
decode-banded = por faixas
term-text-encoder-2-weights = Codificador de texto 2
term-text-encoder-3-weights = Codificador de texto 3
memory-spread = { $runs ->
    [one] Última execução: { $low } %
    [many] Últimas { $runs } de execuções: { $low } .. { $high } %
   *[other] Últimas { $runs } execuções: { $low } .. { $high } %
}
memory-spread-tip = O quanto as previsões ficaram acima do medido
queue-kept = { $done } de { $all } passos guardados
queue-stopped = parado
queue-interrupted = interrompida: era desenhada quando o programa terminou
queue-resume = Continuar
queue-resume-tip = Continua do passo guardado, com a memória livre agora
failure-out-of-memory = Sem memória durante: { $phase }
failure-out-of-memory-hint = Foram pedidos mais { $bytes } e não havia. O que já foi calculado fica guardado.
failure-spilled = Parado antes que a placa de vídeo transbordasse para a memória durante: { $phase }
failure-spilled-hint = O driver tinha começado a mover { $shared } para a memória do computador. O que já foi calculado fica guardado.
failure-died = O processo de desenho terminou durante: { $phase }
failure-died-start = O processo de desenho terminou ao iniciar
failure-died-hint = Ele ocupava { $live }, o previsto era { $planned }. Janela e fila estão intactas, o que já foi calculado fica guardado.
death-killed = Foi encerrado de fora, em geral pelo sistema quando falta memória.
death-allocation = Pediu mais { $bytes } de memória e não recebeu.
death-commit = O sistema não podia prometer mais memória.
death-fault = Tocou em memória que não existe: uma falha de um driver ou deste programa.
death-aborted = Desistiu por conta própria.
death-code = O sistema informa { $code }.
