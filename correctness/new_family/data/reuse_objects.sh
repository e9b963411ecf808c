#!/usr/bin/env bash
# A compiler launcher for a copy of a source tree that is built like the original: a source that is the
# original's byte by byte gets the original's object, any other is compiled.
#
#   reuse_objects.sh SOURCE BUILD COPY COMPILER OPTIONS...
# SOURCE and BUILD are the folders of the original; COPY is the copy's source folder.
original=$1 build=$2 copy=$3
shift 3
for ((i = 1; i < $#; ++i)); do
  next=$((i + 1))
  case ${!i} in
    -c) file=${!next} ;;
    -o) object=${!next} ;;
  esac
done
case $file in
  "$PWD"/*) same=$build/${file#"$PWD"/} ;;  # made by the build
  *) same=$original/${file#"$copy"/} ;;
esac
if [[ -f $build/$object ]] && cmp -s "$file" "$same"; then
  exec cp "$build/$object" "$object"
fi
exec "$@"
