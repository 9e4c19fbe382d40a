# SPDX-License-Identifier: LGPL-2.1-or-later
# Completion for fish. Commands and options are those that the program itself says it has.

function __sw_profiler_commands
    sw-profiler --help 2>/dev/null | string replace -rf '^  ([a-z]+) +(.*)' '$1\t$2'
end

function __sw_profiler_command
    set -l words (commandline -opc)
    test (count $words) -ge 2; and echo $words[2]
end

function __sw_profiler_values -a command option
    switch "$command:$option"
        case '*:--color'
            printf '%s\n' auto always never
        case '*:--sort' summary:-s
            printf '%s\n' self total calls max name
        case summary:--by summary:-b
            printf '%s\n' name category thread
        case diff:--by diff:-b
            printf '%s\n' median mean total self
        case run:--by
            echo thread
        case run:--verbosity run:-v
            printf '%s\n' decisions operations full
        case run:--gpu
            echo cupti
        case convert:--format convert:-f
            printf '%s\n' chrome-json jsonl perfetto folded speedscope
        case '*:--format' run:-f merge:-f
            printf '%s\n' chrome-json jsonl perfetto
        case merge:--align merge:-a
            printf '%s\n' auto wall start none
        case '*:--output' '*:--trace' '*:--base' '*:--new' flame:-o run:-t
            __fish_complete_path (commandline -ct | string replace -r '^--[a-z-]+=' '')
        case '*'
            return 1
    end
end

# Where the program that is to be run begins.
function __sw_profiler_program_at
    set -l words (commandline -opc)
    test (count $words) -ge 2; or return 1
    test $words[2] = run; or return 1
    set -l i 3
    while test $i -le (count $words)
        switch $words[$i]
            case --
                math $i + 1
                return
            case -t -f -v -n --trace --format --verbosity --gpu --top --by
                set i (math $i + 2)
            case '-*'
                set i (math $i + 1)
            case '*'
                echo $i
                return
        end
    end
    return 1
end

function __sw_profiler_arguments
    set -l command (__sw_profiler_command)
    set -l words (commandline -opc)
    set -l token (commandline -ct)
    if set -l at (__sw_profiler_program_at)
        set -l rest $words[$at..-1]
        complete -C (string join ' ' -- (string escape -- $rest) $token)
        return
    end
    if string match -qr '^--[a-z-]+=' -- $token
        set -l option (string replace -r '=.*' '' -- $token)
        for value in (__sw_profiler_values $command $option)
            echo "$option=$value"
        end
        return
    end
    __sw_profiler_values $command $words[-1]; and return
    if string match -q -- '-*' $token
        sw-profiler $command --help 2>/dev/null | string replace -rf '^  (?:-[a-zA-Z], )?(--[a-z-]+=?)\S* +(.*)' '$1\t$2'
        return
    end
    switch "$command"
        case run
            __fish_complete_command
        case help
            __sw_profiler_commands
        case '*'
            __fish_complete_path $token
    end
end

complete -c sw-profiler -f
complete -c sw-profiler -n 'test (count (commandline -opc)) -eq 1' -a '(__sw_profiler_commands)'
complete -c sw-profiler -n 'test (count (commandline -opc)) -eq 1' -a help -d 'Say how a command is used'
complete -c sw-profiler -n 'test (count (commandline -opc)) -eq 1' -s h -l help -d 'Say which commands there are'
complete -c sw-profiler -n 'test (count (commandline -opc)) -eq 1' -l version -d 'Say which version it is'
complete -c sw-profiler -n 'test (count (commandline -opc)) -ge 2' -k -a '(__sw_profiler_arguments)'
