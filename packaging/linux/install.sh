#!/bin/sh
# Installs Headroom for this user, without a password: `./install.sh`, and `./install.sh --remove` undoes it. Pictures,
# models and settings are never touched.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
bin="${XDG_BIN_HOME:-$HOME/.local/bin}"
share="${XDG_DATA_HOME:-$HOME/.local/share}"

each() {
  (cd "$here" && find share -type f | sed 's,^share/,,')
}

# What a desktop knows of programs and kinds of files, where it keeps such lists.
refresh() {
  update-desktop-database "$share/applications" 2>/dev/null || true
  update-mime-database "$share/mime" 2>/dev/null || true
}
if [ "${1:-}" = "--remove" ]; then
  rm -f "$bin/headroom"
  each | while read -r file; do rm -f "$share/$file"; done
  rmdir "$share/doc/headroom" 2>/dev/null || true
  refresh
  echo "Headroom was removed. Your pictures, models and settings are still there."
  exit 0
fi
mkdir -p "$bin"
cp "$here/bin/headroom" "$bin/headroom"
each | while read -r file; do
  mkdir -p "$share/$(dirname "$file")"
  cp "$here/share/$file" "$share/$file"
done
# The desktop may not have the folder in its path: name the program in full.
sed -i "s,^Exec=headroom,Exec=\"$bin/headroom\"," "$share/applications/headroom.desktop"
refresh
echo "Headroom is in the menu of your desktop, and as $bin/headroom."
