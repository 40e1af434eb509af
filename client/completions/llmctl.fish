# Completion of llmctl for fish. What may come next is asked of llmctl itself (client/completion.h).
function __llmctl_complete
    set -l words (commandline -opc) (commandline -ct)
    for line in ($words[1] __complete $words[2..-1] 2>/dev/null)
        if test "$line" = ":"
            __fish_complete_path (commandline -ct)
        else
            printf '%s\n' $line
        end
    end
end
complete -c llmctl -f -a '(__llmctl_complete)'
