#!/bin/bash
# Prints docs/first-five-minutes.txt: what somebody who is new types and sees in a clone, in a terminal of 80 columns. It needs cargo and tmux.
# What the build says is left out: it is done before. The clone is called ~/emilia.
#
#     docs/first-five-minutes.sh > docs/first-five-minutes.txt
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
work=$(mktemp -d)
tmux="tmux -S $work/socket -f /dev/null"
trap '$tmux kill-server 2> /dev/null || true; rm -rf "$work"' EXIT

cargo build --release --quiet --manifest-path "$root/Cargo.toml"
# A home with nothing but the clone, so that what the commands write does not lie about.
mkdir "$work/home"
ln -s "$root" "$work/home/emilia"
cat > "$work/rc" << END
PS1='\$ '
PROMPT_COMMAND='echo >> $work/prompts'
HISTFILE=
cd ~/emilia
END
: > "$work/prompts"
$tmux start-server \; set-option -g history-limit 20000 \; \
    new-session -d -x 80 -y 24 "env HOME=$work/home CARGO_HOME=${CARGO_HOME:-$HOME/.cargo} RUSTUP_HOME=${RUSTUP_HOME:-$HOME/.rustup} \
        NO_COLOR=1 TERM=xterm-256color bash --rcfile $work/rc"

screen() { $tmux capture-pane -p -J -S - | sed -e 's/ *$//'; }

# Waits until the last line of the screen is this (a pattern of grep).
expect() {
    for _ in $(seq 9000); do
        if screen | grep -v '^$' | tail -n 1 | grep -q "$1"; then return; fi
        sleep 0.1
    done
    echo "no '$1' on the screen:" >&2
    screen >&2
    exit 1
}

type_line() { sleep 1; $tmux send-keys -l "$1"; $tmux send-keys Enter; }

# Says a line, and waits for the answer. In the shell that is the next prompt.
say() { type_line "$1"; expect "$2"; }
shell() {
    local before
    before=$(wc -l < "$work/prompts")
    type_line "$1"
    for _ in $(seq 9000); do
        [ "$(wc -l < "$work/prompts")" -gt "$before" ] && break
        sleep 0.1
    done
    expect '^\$$'
}

expect '^\$$'
say 'cargo run --release' 'emilia: .*waiting for'
shell quit
shell 'PATH=$PWD/target/release:$PATH; cd'
shell '# A game, with a clock of five minutes for each side.'
say 'emilia play --level 3 --clock 300 --seed 1' '^black [0-9:]*>$'
say 'f5' '^black [0-9:]*>$'
say 'hint 2' '^black [0-9:]*>$'
say 'go' '^black [0-9:]*>$'
say 'undo' '^black [0-9:]*>$'
say 'save my-game.ggf' '^black [0-9:]*>$'
shell 'quit'
shell '# What was a game worth?'
shell 'echo f5d6c3d3c4f4f6g5e6d7 > game.txt'
shell 'emilia analyze game.txt'
shell '# The same as a page for a browser, and as a picture for a forum.'
shell 'emilia show game.txt --out game.html'
shell 'emilia show game.txt --numbers --out game.png'
shell 'ls -1 game.*'
shell '# An endgame, to the last disc.'
shell "emilia solve --position '--XXXXX--OOOXX-O-OOOXXOX-OXOXOXXOXXXOXXX--XOXOXX-XXXOOO--OOOOO-- X'"
shell '# NBoard wants a new engine: the name Emilia, this folder, and the command below.'
shell 'cd emilia/target/release; pwd'
say './emilia nboard --ponder on' 'speaking NBoard'
# Said by hand here, by NBoard later.
say 'nboard 2' '^status Emilia'
say 'set depth 8' '^set myname'
type_line 'move f5'
say 'ping 1' '^pong 1'
say 'go' '^==='
shell quit

screen | sed -e "s|$work/home|~|g" -e "s|$root|~/emilia|g"
