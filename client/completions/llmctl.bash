# Completion of llmctl for bash, with the functions of the package bash-completion, which loads this file. What may come
# next is asked of llmctl itself (client/completion.h).
_llmctl() {
    local cur words cword word files='' breaks=${COMP_WORDBREAKS//[^=:@]/} head=''
    _get_comp_words_by_ref -n =:@ cur words cword || return
    # bash replaces only what stands behind the last of these characters.
    [ -z "$breaks" ] || head=${cur%"${cur##*["$breaks"]}"}
    COMPREPLY=()
    while IFS=$'\t' read -r word _; do
        if [ "$word" = : ]; then
            files=yes
        else
            printf -v word %q "$word"
            COMPREPLY+=("${word#"$head"}")
        fi
    done < <("${words[0]/#\~/$HOME}" __complete "${words[@]:1:cword}" 2>/dev/null)
    [ -z "$files" ] || _filedir
} && complete -F _llmctl llmctl
