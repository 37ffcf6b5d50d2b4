# What the files of this folder begin with: an empty folder, and `drydock` as people call it.
work_apart() {
    cd "$1" || exit 1
    ln -sf "$DRYDOCK" drydock
    PATH=$PWD:$PATH
    export NO_COLOR=1
}

# The built-in driver with a mistake: changed DRIVER.sys FILE [sed's options], FILE of its sources gone through sed.
# The others are compiled once for all tests of a file.
changed() {
    local driver=$1 file=$2 sources=$INCLUDE/../drivers/softgpu objects=$BATS_FILE_TMPDIR/softgpu-objects
    local object others=()
    if [ ! -d "$objects" ]; then
        mkdir "$objects.new"
        (cd "$objects.new" && "$DRYDOCK_CC" -c -g "$sources"/*.c)
        mv "$objects.new" "$objects"
    fi
    for object in "$objects"/*.obj; do
        [ "${object##*/}" = "${file%.c}.obj" ] || others+=("$object")
    done
    sed "${@:3}" "$sources/$file" > "$file"
    cmp -s "$file" "$sources/$file" && return 1 # it is to be changed
    "$DRYDOCK_CC" -g -I "$sources" -o "$driver" "$file" "${others[@]}"
}
