# SPDX-FileCopyrightText: 2026 the assay authors
# SPDX-License-Identifier: GPL-3.0-or-later
# Completion of assay in bash, which asks assay itself (src/commands/completion.c says what it answers).
_assay() {
    local line
    COMPREPLY=()
    while IFS= read -r line; do
        case $line in
        $'\tfiles') compopt -o default ;;
        $'\tdirectories') compopt -o dirnames ;;
        $'\tcommand '*)
            if declare -F _command_offset >/dev/null; then
                _command_offset "${line##* }"
            else
                compopt -o default
                ((COMP_CWORD > ${line##* })) || mapfile -t COMPREPLY < <(compgen -c -- "${COMP_WORDS[COMP_CWORD]}")
            fi
            ;;
        *)
            [[ $line != *: ]] || compopt -o nospace
            COMPREPLY+=("$line")
            ;;
        esac
    done < <(command assay __complete bash "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
}
complete -F _assay assay
