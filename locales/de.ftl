# Deutsch.

app-name = Headroom
language-name = Deutsch
app-no-window = Das Fenster konnte nicht geöffnet werden: { $why }

## Befehle
cmd-generate = Zeichnen
cmd-generate-tip = Dieses Bild zeichnen
cmd-queue = Anstellen
cmd-queue-tip = Nach den Bildern zeichnen, die schon warten
cmd-stop = Anhalten
cmd-stop-tip = Zeichnen anhalten; fertige Bilder bleiben
cmd-settings = Einstellungen
cmd-settings-tip = Aussehen, Sprache und Speichergrenze
cmd-shortcuts = Tastenkürzel
cmd-shortcuts-tip = Alles, was die Tastatur kann
cmd-focus-prompt = Beschreibung bearbeiten
cmd-focus-prompt-tip = Den Cursor in die Beschreibung setzen
cmd-fit-map = Passkarte
cmd-fit-map-tip = Alle Größen auf einen Blick, gefärbt nach Aufwand
cmd-swap = Breite und Höhe tauschen
cmd-swap-tip = Das Bild von hoch auf quer drehen oder zurück
cmd-random-seed = Neuer Startwert
cmd-random-seed-tip = Einen anderen Startwert würfeln und behalten
cmd-older = Älteres Bild
cmd-older-tip = Das Bild davor zeigen
cmd-newer = Neueres Bild
cmd-newer-tip = Das Bild danach zeigen
cmd-theme = Zwischen Hell und Dunkel wechseln
cmd-theme-tip = Zwischen Hell und Dunkel wechseln

## Allgemeines
close = Schließen
dismiss = Ausblenden
not-known = nicht bekannt
list-join = { $first }, { $second }
button-with-shortcut = { $tip } ({ $keys })
bytes-mib = { $n } MiB
bytes-gib = { $n } GiB
time-under-second = unter 1 s
time-seconds = { $s } s
time-minutes = { $m } min
time-minutes-seconds = { $m } min { $s } s
time-hours = { $h } h
time-hours-minutes = { $h } h { $m } min
size-pixels = { $width } × { $height }

## Beschreibung
prompt-label = Beschreibung
prompt-literal = Dieses Modell liest Klammern als Text, nicht als Gewichte
prompt-hint = Was soll es werden?
negative-label = Ausschluss
negative-hint = Was nicht im Bild sein soll
model-label = Modell
family-builtin = Eingebaut
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

## Größe
size-label = Größe
width-label = Breite
height-label = Höhe
width-exact = Genaue Breite
height-exact = Genaue Höhe
slider-verdict = { $label }: { $value } Pixel, { $verdict }
aspect-choose = Seitenverhältnis { $ratio }
aspect-lock = Seitenverhältnis sperren
aspect-lock-tip = Das Verhältnis von Breite zu Höhe beim Ziehen behalten
size-native = Original
size-native-tip = Die Größe, für die dieses Modell gemacht ist: { $size }
size-largest = Maximum
size-largest-tip = Die größte Größe dieses Seitenverhältnisses, die passt
size-snapped = Wird { $to }
size-snapped-tip = Dieses Modell zeichnet Vielfache von { $multiple } Pixeln; die nächste Größe wird genommen

## Verfahren
steps-label = Schritte
guidance-label = Führung
guidance-tip = Wie eng der Beschreibung gefolgt wird; 1 ist aus
distilled-label = Eingelernte Führung
distilled-tip = Wie eng das Bild dem Prompt folgt, bei Modellen, die das als Eingabe nehmen; kostet keine Zeit
seed-label = Startwert
seed-random = Zufälliger Startwert
seed-random-tip = Für jedes Bild einen neuen Startwert nehmen
more-label = Mehr
batch-label = Bilder
batch-tip = Wie viele Bilder auf einmal, jedes mit dem nächsten Startwert
sampler-label = Sampler
denoise-label = Entrauschstärke
schedule-label = Zeitplan
rng-label = Rauschen
rng-tip = Wessen Zufallszahlen ein Startwert meint: CPU wie in ComfyUI und InvokeAI, NV wie in A1111
reset-label = Vorgaben des Modells
reset-tip = Schritte, Führung und Größe, wie dieses Modell sie am liebsten hat

## Mängel
issue-out-of-range = { $field }: nur von { $min } bis { $max }
issue-not-a-number = { $field }: muss eine Zahl sein
issue-not-offered = { $field }: diese Wahl passt nicht zu diesem Modell
issue-too-long = { $field }: höchstens { $max } Bytes
issue-control = { $field }: enthält ein Zeichen, das keine Datei aufnehmen kann

## Urteil
verdict-fits = Passt
verdict-fits-with = Passt, langsamer
verdict-short = Passt nicht
verdict-cannot-tell = Nicht zu sagen
verdict-invalid = Noch nicht bereit
verdict-peak = Spitze { $peak } von { $budget } GiB
verdict-peak-mixed = Spitze { $peak } von { $budget }
verdict-peak-only = Spitze { $peak }
verdict-time = etwa { $time }
verdict-time-unknown = Dauer noch nicht bekannt
verdict-elsewhere = auf { $machine }
verdict-line = Urteil: { $text }
verdict-short-by = { $by } zu viel im { $pool } beim { $phase }
verdict-short-hard = { $by } über der eigenen Grenze beim { $phase }
verdict-unknown-reading = { $pool }: { $why }
verdict-run-anyway = Trotzdem zeichnen
verdict-run-anyway-tip = Es kann alles bremsen oder scheitern. Dein Klick, deine Wahl.
verdict-run-anyway-sure = Wirklich zeichnen
verdict-run-anyway-sure-tip = Startet, obwohl { $by } fehlen
verdict-elsewhere-note = Für einen anderen Rechner geplant
verdict-back = Zurück zu diesem Rechner

## Zugeständnisse, Stufen, Dekodieren
concession-phased = lädt einen Teil nach dem anderen
concession-streamed = liest das Modell Block für Block
concession-banded = dekodiert Band für Band
concession-tiled = dekodiert in überblendeten Kacheln
tier-resident = resident
tier-phased = phasenweise
tier-streamed = strömend
tier-resident-tip = Alles bleibt zwischen den Läufen geladen
tier-phased-tip = Nur ein Teil des Modells ist jeweils geladen
tier-streamed-tip = Das Modell wird beim Rechnen Block für Block gelesen
decode-whole = am Stück
decode-banded = in Bändern
decode-tiled = in Kacheln
choice-both = { $tier }, Dekodieren { $decode }

## Speicherarten
pool-host = Arbeitsspeicher
pool-device = Grafikspeicher
pool-commit = zugesicherten Speicher
pool-host-title = Arbeitsspeicher
pool-device-title = Grafikspeicher
pool-commit-title = Zugesicherter Speicher

## Warum ein Wert fehlt
unknown-missing = niemand antwortet hier
unknown-unreadable = die Antwort war nicht lesbar
unknown-zero = meldet null
unknown-above-total = mehr frei als vorhanden
unknown-free-equals-total = der Treiber zählt andere Programme nicht

## Auswege
remedy-size = { $size } nehmen
remedy-single = Ein Bild nach dem anderen
remedy-choice = { $choice } erlauben
remedy-raise-limit = Grenze auf { $bytes } heben
remedy-close-others = Oder Programme schließen, die { $bytes } halten
remedy-grow-pagefile = Oder die Auslagerungsdatei um { $bytes } wachsen lassen
remedy-none = Kleiner hilft nicht: dieses Modell ist zu groß für diesen Rechner

## Phasen
phase-load-text-encoder = Laden des Textkodierers
phase-encode = Lesen der Beschreibung
phase-load-denoiser = Laden des Zeichners
phase-denoise = Zeichnen
phase-load-vae = Laden des Dekodierers
phase-decode = Dekodieren
phase-save = Speichern
phase-load-text-encoder-short = Text laden
phase-encode-short = Text
phase-load-denoiser-short = Laden
phase-denoise-short = Zeichnen
phase-load-vae-short = VAE laden
phase-decode-short = Dekodieren
phase-save-short = Sichern

## Posten eines Bedarfs
term-text-encoder-weights = Textkodierer
term-text-encoder-2-weights = Textkodierer 2
term-text-encoder-3-weights = Textkodierer 3
term-denoiser-weights = Zeichner
term-vae-weights = Dekodierer
term-loras = LoRA
term-activations = Aktivierungen
term-workspace = Arbeitspuffer
term-embeddings = Einbettungen
term-latents = Latente
term-pixels = Pixel
term-staging = Zwischenablage
term-runtime = Programm

## Speicherstreifen
memory-label = Speicher
gauge-others = andere { $bytes }
gauge-ours = Headroom { $bytes }
gauge-peak = dieses Bild { $bytes }
gauge-budget = Platz { $bytes }
gauge-total = von { $bytes }
gauge-unknown = { $pool }: { $why }
gauge-spoken = { $pool }: andere halten { $others }, Headroom hält { $ours }, dieses Bild braucht höchstens { $peak }, Platz ist für { $budget }, insgesamt { $total }
gauge-others-name = Andere
gauge-ours-name = Headroom
gauge-peak-name = Dieses Bild
gauge-room-name = Platz
timeline-label = Plan
timeline-spoken = Plan nach Phasen: { $phases }
timeline-phase = { $phase } { $bytes }
timeline-planned = geplant { $bytes }
timeline-measured = gemessen { $bytes }
timeline-compare = Geplant { $planned }, gemessen { $measured } ({ $error })
timeline-compare-short = Gemessen { $measured } ({ $error })
timeline-within = { $percent } % darunter
timeline-over = { $percent } % darüber
timeline-exact = wie geplant
timeline-empty = Hier erscheint der Plan, sobald alles ausgefüllt ist

## Betrachter
empty-title = Was soll es werden?
empty-body = Schreib es links hin, oder fang mit einem davon an.
empty-example = { $prompt } zeichnen
example-apple = a red apple
example-heart = a heart on a pink background
example-strawberry = a strawberry, yellow background
example-rocket = a rocket, purple background
example-pizza = a slice of pizza
example-burger = a burger, cartoon style
viewer-picture = Bild: { $prompt }
viewer-preview = Vorschau von { $prompt }
viewer-step = Schritt { $step } von { $steps }
viewer-picture-of = Bild { $n } von { $all }
viewer-elapsed = bisher { $time }
viewer-left = noch { $time }
viewer-progress = Fortschritt: { $percent } Prozent
viewer-starting = Beginnt
viewer-stopping = Hält an
viewer-loading = { $done } von { $total }
viewer-seed = Startwert { $seed }
viewer-steps = { $steps ->
    [one] 1 Schritt
   *[other] { $steps } Schritte
}
viewer-saving = wird gesichert
viewer-saved = Gesichert als { $path }
viewer-unsaved = Nicht gesichert
viewer-reuse = Einstellungen übernehmen
viewer-reuse-tip = Beschreibung, Größe, Startwert und alles andere ins Formular holen

## Warteschlange und Streifen
queue-label = Warteschlange
queue-empty = Nichts wartet
queue-waiting = wartet
queue-running = wird gezeichnet
queue-held = angehalten: { $why }
queue-held-short = { $by } zu viel im { $pool }
queue-remove = „{ $prompt }“ aus der Warteschlange nehmen
queue-retry = Noch einmal
queue-retry-tip = Mit dem jetzt freien Speicher neu planen
memory-spread = { $runs ->
    [one] Letzter Lauf: { $low } %
   *[other] Letzte { $runs } Läufe: { $low } .. { $high } %
}
memory-spread-tip = Wie weit die Vorhersagen über dem Gemessenen lagen
queue-kept = { $done } von { $all } Schritten erhalten
queue-stopped = angehalten
queue-interrupted = unterbrochen: lief, als das Programm endete
queue-resume = Fortsetzen
queue-resume-tip = Vom erhaltenen Schritt an weiterzeichnen, mit dem jetzt freien Speicher
queue-untitled = ohne Beschreibung
strip-label = Diese Sitzung
strip-empty = Hier sammeln sich deine Bilder
strip-picture = Bild { $n } zeigen: { $prompt }

## Kopfzeile
machine-label = Planen für
machine-this = Dieser Rechner
machine-named = Dieser Rechner ({ $name })
machine-tip = Sehen, was ein anderer Rechner zeichnen könnte

## Passkarte
map-title = Was passt
map-body = Jede Größe von { $from } bis { $to }. Ein Klick nimmt sie.
map-cell = { $size }: { $verdict }
map-now = jetzt { $size }
map-label = Raster der Passkarte

## Einstellungen
settings-title = Einstellungen
settings-theme = Aussehen
settings-theme-system = System
settings-theme-light = Hell
settings-theme-dark = Dunkel
settings-language = Sprache
settings-language-system = System
settings-limit = Speichergrenze
settings-limit-on = Nie mehr nehmen als
settings-limit-amount = Speichergrenze in GiB
settings-limit-note = Eine Grenze ist hart: was nicht passt, wird nie begonnen.
shortcuts-title = Tastatur

## Meldungen
notice-busy = Die Warteschlange des Zeichners ist voll
notice-busy-hint = Das Bild wartet hier und beginnt von selbst.
notice-interrupted = Das Programm endete, während es zeichnete
notice-interrupted-hint = Dieses Bild wird nicht von selbst neu gezeichnet, und die Warteschlange pausiert. Sieh es dir an, dann geht es weiter.
notice-queue-elsewhere = Ein anderes Fenster von Headroom führt die Warteschlange
notice-queue-unkept = Die Warteschlange kann nicht aufbewahrt werden: { $why }
notice-queue-unkept-hint = Was du hier bestellst, wird gezeichnet, aber mit diesem Fenster vergessen.
notice-refused = Passt nicht mehr: { $what }
notice-refused-hint = Seit dem Klick wurde Speicher belegt. Das Bild wartet; schließ etwas und versuch es noch einmal.
notice-replanned = Der Speicher hat sich geändert: { $tier } statt { $was }
notice-replanned-hint = Das Bild bleibt gleich, nur die Dauer ändert sich.
notice-save-failed = Das Bild konnte nicht gesichert werden: { $why }
notice-save-failed-hint = Im Streifen ist es noch da. Prüfe, ob es den Ordner gibt und er beschreibbar ist.

## Fehler
failure-cancelled = Angehalten
failure-cancelled-hint = Nichts ist verloren. Mit „Zeichnen“ geht es neu los.
failure-guard = Zum Schutz des Speichers angehalten beim { $phase }
failure-guard-hint = { $live } waren belegt, wo { $planned } geplant waren. Nimm eine kleinere Größe oder schließ andere Programme.
failure-refused = Passt nicht
failure-refused-hint = Nichts wurde geladen. Nimm einen der angebotenen Auswege.
failure-model = Die Modelldatei ist schadhaft oder nicht lesbar: { $reason }
failure-model-hint = Hol sie neu oder wähle ein anderes Modell. Datei: { $path }
failure-device = Dieses Programm kann nicht auf { $device } rechnen
failure-device-hint = Nimm stattdessen den Prozessor.
failure-nan = Das Modell lieferte Werte, die keine Zahlen sind, beim { $phase }
failure-nan-hint = Ein anderer Startwert oder genauere Gewichte helfen meist.
failure-write = Das Bild konnte nicht geschrieben werden: { $reason }
failure-write-hint = Prüfe freien Platz und Rechte. Pfad: { $path }
failure-crash = Der Zeichner ist abgestürzt und wurde neu gestartet
failure-crash-hint = Warteschlange und Bilder sind sicher. Er sagte: { $what }

failure-out-of-memory = Speicher erschöpft beim { $phase }
failure-out-of-memory-hint = { $bytes } mehr wurden verlangt und waren nicht da. Was schon errechnet ist, bleibt erhalten.
failure-spilled = Angehalten, bevor die Grafikkarte in den Arbeitsspeicher überläuft beim { $phase }
failure-spilled-hint = Der Treiber begann, { $shared } in den Speicher des Rechners zu verlegen. Was schon errechnet ist, bleibt erhalten.
failure-died = Der Zeichenprozess endete beim { $phase }
failure-died-start = Der Zeichenprozess endete gleich am Anfang
failure-died-hint = Er hielt { $live }, geplant waren { $planned }. Fenster und Warteschlange sind unberührt, was schon errechnet ist, bleibt erhalten.
death-killed = Er wurde von außen beendet, meist vom System, wenn der Speicher ausgeht.
death-allocation = Er verlangte { $bytes } mehr Speicher und bekam ihn nicht.
death-commit = Das System konnte ihm keinen weiteren Speicher zusagen.
death-fault = Er griff auf Speicher zu, den es nicht gibt: ein Fehler in einem Treiber oder in diesem Programm.
death-aborted = Er gab von selbst auf.
death-code = Das System meldet { $code }.
## Aufteilung und Wege
cmd-ways = Alle Wege zu diesem Bild
cmd-ways-tip = Stufen vergleichen: Speicher, Dauer und ob sie passen
cmd-side = Warteschlange und Bilder zeigen oder verbergen
cmd-side-tip = Warteschlange und Bilder zeigen oder verbergen
cmd-memory = Speicherstreifen zeigen oder verbergen
cmd-memory-tip = Speicherstreifen zeigen oder verbergen
cmd-zoom-in = Größer
cmd-zoom-out = Kleiner
cmd-zoom-reset = Übliche Größe
cmd-zoom-tip = Die Größe von allem im Fenster
ways-title = Alle Wege zu diesem Bild
ways-body = Genommen wird der schnellste, der passt. Ein Klick erlaubt nur diesen einen; das Bild bleibt gleich, nur überblendete Kacheln weichen ein wenig ab.
ways-automatic = Automatisch
ways-automatic-tip = Den schnellsten Weg nehmen, der passt
ways-pinned = Nur { $choice }
ways-tier = Stufe
ways-decode = Dekodieren
ways-time = Dauer
ways-verdict = Urteil
ways-row = So zeichnen: { $facts }
percent = { $n } %
settings-zoom = Größe von allem
settings-zoom-choose = Alles mit { $percent } Prozent zeigen
pane-form = Was gezeichnet wird
pane-viewer = Das Bild
pane-side = Warteschlange und Bilder
machine-own-files = Eine Rechnerdatei aufs Fenster ziehen, um einen Rechner hinzuzufügen

## Hineingezogen, geöffnet, eingefügt
cmd-open = Dateien öffnen
cmd-open-tip = Bilder mit Einstellungen darin, Modelle, Rechnerdateien; aufs Fenster ziehen tut dasselbe
drop-title = Loslassen, um es zu nehmen
drop-looking = Wird angesehen
drop-settings = Die Einstellungen kommen ins Formular
drop-machine = Planen für { $name }
drop-model = Dieses Modell hinzufügen: { $family }, { $bytes }
drop-nothing = Nichts zu holen: { $why }
drop-more = { $count ->
    [one] und eine weitere
   *[other] und { $count } weitere
}
notice-restored = Einstellungen aus { $name } übernommen
notice-restored-text = Einstellungen aus dem eingefügten Text übernommen
notice-restored-hint = Alles, was darin steht, ist jetzt im Formular.
notice-restored-left = Nicht übernommen: { $left }
notice-model-absent = Das Modell „{ $model }“ ist nicht da
notice-model-absent-hint = Das Modell im Formular blieb, wie es war. Zieh das Modell aufs Fenster, um es hinzuzufügen.
notice-machine-added = Geplant wird für { $name }
notice-machine-added-hint = Er bleibt in der Liste der Rechner.
notice-model-added = Modell hinzugefügt: { $name }
notice-model-added-hint = Es ist jetzt gewählt, mit eigener Größe und eigenen Schritten.
notice-not-taken = Aus { $name } wurde nichts übernommen
notice-not-taken-text = Aus dem eingefügten Text wurde nichts übernommen
notice-not-taken-hint = Es kam zu viel auf einmal. Versuch es gleich noch einmal.
notice-too-many = { $most ->
    [one] Nur eine Datei wird auf einmal genommen
   *[other] Nur { $most } Dateien werden auf einmal genommen
}
notice-too-many-hint = Die anderen blieben draußen.
drop-unknown = Damit kann hier nichts etwas anfangen
notice-not-known-hint = Headroom nimmt Bilder mit Einstellungen darin, Modelle und Rechnerdateien.

## Warteschlange, Startwerte, Rückgängig
cmd-first = Als Nächstes zeichnen
cmd-first-tip = Vor allem, was wartet
cmd-pause = Warteschlange anhalten
cmd-pause-tip = Was gerade entsteht, wird fertig; nichts weiter beginnt
cmd-undo = Rückgängig
cmd-undo-tip = Die letzte Änderung im Formular zurücknehmen
cmd-redo = Wiederholen
cmd-redo-tip = Die zurückgenommene Änderung wieder machen
prompt-bracket = Eine Klammer hat kein Gegenstück
seed-fixed = Diesen Startwert behalten
seed-fixed-tip = Derselbe Startwert ergibt wieder dasselbe Bild
seed-counting = Startwert hochzählen
seed-counting-tip = Jeder Auftrag macht weiter, wo der letzte aufhörte
runs-label = Durchgänge
runs-tip = Wie oft ein Klick es bestellt, jedes Mal mit dem nächsten Startwert
queue-go-on = Warteschlange fortsetzen
queue-clear = Alles Wartende aus der Schlange nehmen
queue-paused = Angehalten: nichts weiter beginnt
queue-first = „{ $prompt }“ als Nächstes zeichnen
queue-up = „{ $prompt }“ nach vorn
queue-down = „{ $prompt }“ nach hinten
