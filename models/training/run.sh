#!/bin/sh
# run.sh DIRECTORY SECONDS OUT: does what is left of the training within SECONDS, and can be called again until it is done: the
# tokenizer, the training on the GPU, the evaluation. DIRECTORY has the checkpoint between calls; OUT gets what is to be kept: the
# tokenizer, the weights in parts of at most 12 MB, the logs and the figures, seven files. Where DIRECTORY was lost between two calls, put OUT's
# files into DIRECTORY/kept, and the next call goes on from them. PYTHON, TRAIN_OPTIONS and EVALUATE_OPTIONS are for tests/lanes/training.
set -eu
mkdir -p "$1" "$3"
work=$(cd "$1" && pwd) seconds=$2 out=$(cd "$3" && pwd)
python=${PYTHON-python3}
began=$(date +%s)
left() { echo $((seconds - $(date +%s) + began)); }
cd "$(dirname "$0")"
export PYTHONUNBUFFERED=1 PYTHONDONTWRITEBYTECODE=1 TORCHINDUCTOR_CACHE_DIR="$work/inductor" TRITON_CACHE_DIR="$work/triton"
nvidia-smi --query-gpu=name,memory.total --format=csv,noheader 2>/dev/null || true
[ -f "$work/tokenizer.json" ] || cp "$work/kept/tokenizer.json" "$work/tokenizer.json" 2>/dev/null ||
    "$python" train_tokenizer.py --out "$work/tokenizer.json"
cp "$work/tokenizer.json" "$out/"
if [ ! -f "$work/trained" ]; then
    resume=
    [ ! -f "$work/kept/parts/weights.json" ] || resume="--resume $work/kept/parts"
    status=0
    # shellcheck disable=SC2086  # options
    "$python" train.py --tokenizer "$work/tokenizer.json" --work "$work" --stop-after $(($(left) - 20)) $resume ${TRAIN_OPTIONS-} \
        >"$work/part.log" 2>&1 || status=$?
    cat "$work/part.log" >>"$work/train.log"
    cp "$work/train.log" "$out/"
    tail -n 12 "$work/part.log"
    [ "$status" = 0 ] && touch "$work/trained"
    [ "$status" = 0 ] || [ "$status" = 75 ] || exit "$status"
fi
"$python" convert.py --checkpoint "$work/checkpoint.pt" --parts "$out/parts"
[ -f "$work/trained" ] || { echo "there is more to train: call this again"; exit 0; }
# A set takes up to 20 seconds on a GPU; the one that is begun last must end as well.
[ "$(left)" -gt 60 ] || { echo "trained; call this again for the figures"; exit 0; }
# shellcheck disable=SC2086  # options
timeout "$(left)" "$python" evaluate.py --checkpoint "$out/parts" --tokenizer "$work/tokenizer.json" --seconds $(($(left) - 40)) ${EVALUATE_OPTIONS---samples 200 --wrong 12} \
    --json "$out/figures.json" >"$out/eval.log" 2>&1 || echo "evaluate.py ended with $?"
grep ' of ' "$out/eval.log" || true
