# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of assay in fish, which asks assay itself (src/commands/completion.c says what it answers).
function __assay_complete
    set -l before (commandline -opc)
    set -l typed (commandline -ct)
    for line in (command assay __complete fish $before[2..-1] "$typed" 2>/dev/null)
        switch $line
            case \tfiles \tdirectories
                set -l option (string match -r -- '^--[^=]*=' "$typed")
                set -l path (string replace -r -- '^--[^=]*=' '' "$typed")
                set -l names (__fish_complete_path "$path")
                test $line = \tfiles; or set names (__fish_complete_directories "$path" '')
                for name in $names
                    echo "$option$name"
                end
            case \tcommand\*
                # Where a command begins, fish would execute what stands in parentheses.
                string match -q -- '*(*' "$typed"; and continue
                set -l words $before[(math (string split ' ' -- $line)[2] + 1)..-1]
                complete -C (string join ' ' -- (string escape -- $words) "$typed")
            case '*'
                echo $line
        end
    end
end
complete -c assay -f -a '(__assay_complete)'
