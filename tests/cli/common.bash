# What the files of this folder begin with: an empty folder, and `drydock` as people call it.
work_apart() {
    cd "$1" || exit 1
    ln -sf "$DRYDOCK" drydock
    PATH=$PWD:$PATH
    export NO_COLOR=1
}
