#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions of shells and manual pages: command_words.py --bin DIR --out DIR

They are made from what the programs declare (`sparserl --describe`, `sparserl-workbench --describe`); only examples and such are
written by hand (command_examples.py). Below the folder: bash/NAME, zsh/_NAME and fish/NAME.fish of each program, and
man1/sparserl[-COMMAND].1.gz, man1/sparserl-workbench.1.gz.

What a project calls its matrices and runs is asked for when a completion needs it (`sparserl --complete KIND`): the program is the
one on the PATH, never a file of the current folder, and no shell ever evaluates a name.
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess

from command_examples import EXAMPLES, EXIT_STATUS, FILES, PROGRAM_EXAMPLES, WINDOW_EXAMPLES, WINDOW_EXIT_STATUS, WINDOW_FILES


def declared(folder):
    """The tree of commands: those of sparserl, with the options that sparserl-training has for its own."""
    def ask(program):
        return json.loads(subprocess.run([str(folder / program), "--describe"], check=True, capture_output=True, text=True).stdout)

    root = ask("sparserl")
    training = {one["name"]: one for one in ask("sparserl-training")["commands"]} if (folder / "sparserl-training").exists() else {}
    root["commands"] = [training.get(one["name"], one) for one in root["commands"]]
    return root


def window(folder):
    """The options of sparserl-workbench in the same form, or None where it is not built."""
    program = folder / "sparserl-workbench"
    return json.loads(subprocess.run([str(program), "--describe"], check=True, capture_output=True, text=True).stdout) if program.exists() else None


def walk(command, path=(), above=()):
    """(words, command, its options with those of the commands above it) of every command, the program first."""
    words = (*path, command["name"])
    options = [*above, *(one for one in command["options"] if one["names"] and "--version" not in one["names"] and
                         ("--help" not in one["names"] or not above))]
    yield words, command, options
    inherited = [one for one in options if "--help" in one["names"] or not path]
    for sub in command["commands"]:
        yield from walk(sub, words, inherited if not path else options)


def values(option):
    """What completions offer for the value of an option: all that it takes, or some of it."""
    return option.get("choices", option.get("suggestions", []))


def positional(options):
    """The words that a command takes by themselves."""
    return [word for option in options if option.get("positional") for word in values(option)]


def named(options):
    """What the project's names are of that a command takes by themselves: "runs", or nothing."""
    return next((option["completes"] for option in options if option.get("positional") and "completes" in option), "")


def identifier(name):
    return re.sub(r"\W", "_", name)


def sentence(text):
    return " ".join(text.split())


# ---- bash

BASH = r"""SELF_files() {
    local file
    while IFS= read -r file; do
        COMPREPLY+=("$file")
    done < <(compgen -f -- "$1")
}
# Names of the project as they are: readline quotes what is put into the line.
SELF_names() {
    local name begun=${2//\\/}
    [[ $1 == parameters ]] && compopt -o nospace +o filenames 2>/dev/null
    while IFS= read -r name; do
        [[ $name == "${begun#[\"\']}"* ]] && COMPREPLY+=("$name")
    done < <(command sparserl --complete "$1" "${COMP_WORDS[@]:1}" 2>/dev/null)
}
SELF() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} place=PROGRAM plain=0
    local commands options positional named values takes i list=
    COMPREPLY=()
    # "--option=value" comes in three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = && COMP_CWORD -gt 1 ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    SELF_words "$place"
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ " $commands " == *" ${COMP_WORDS[i]} "* ]]; then
            place="$place ${COMP_WORDS[i]}" plain=0
            SELF_words "$place"
            continue
        fi
        takes=
        SELF_values "$place ${COMP_WORDS[i-1]}"
        [[ ${COMP_WORDS[i]} == -* || ${COMP_WORDS[i]} == = || -n $takes ]] || plain=$((plain + 1))
    done
    values= takes=
    SELF_values "$place $before"
    # The next word of a list: "--families S1,S2".
    if [[ $word == *,* && ( -n $values || -n $takes || -n $positional || -n $named ) ]]; then
        list=${word%,*}, word=${word##*,}
    fi
    if [[ -n $takes ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
        [[ $takes == words || $takes == files ]] || SELF_names "$takes" "$word"
        [[ $takes == words || $takes == parameters || -n $list ]] || SELF_files "$word"
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ -n $commands && ( -z $named || $plain -gt 0 ) ]]; then
        COMPREPLY=($(compgen -W "$commands" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$positional" -- "$word"))
        [[ -n $named ]] && SELF_names "$named" "$word"
        [[ $named == parameters || -n $list ]] || SELF_files "$word"
    fi
    if [[ -n $list ]]; then
        COMPREPLY=("${COMPREPLY[@]/#/$list}")
        [[ ${#COMPREPLY[@]} -gt 0 ]] || SELF_files "$list$word" # a file's name may have a comma
    fi
}
complete -o filenames -F SELF PROGRAM
"""


def bash(root):
    """One function; what may stand where is in two tables by the words of the command."""
    prefix = "_" + identifier(root["name"])
    lines = [f"# Completions of {root['name']} for bash, made from its declared options.", f"{prefix}_words() {{", "    case \"$1\" in"]
    for words, command, options in walk(root):
        names = " ".join(name for option in options for name in option["names"])
        subs = " ".join(sub["name"] for sub in command["commands"])
        alone = ' '.join(positional(command["options"]))
        lines.append(f"    '{' '.join(words)}') commands='{subs}' options='{names}' positional='{alone}' named='{named(command['options'])}' ;;")
    lines += ["    esac", "}", f"{prefix}_values() {{", "    case \"$1\" in"]
    for words, command, options in walk(root):
        for option in options:
            if "value" in option and option["names"]:
                keys = "|".join(f"'{' '.join(words)} {name}'" for name in option["names"])
                takes = "words" if "choices" in option else option.get("completes", "files")
                lines.append(f"    {keys}) values='{' '.join(values(option))}' takes={takes} ;;")
    lines += ["    esac", "}"]
    return "\n".join(lines) + "\n" + BASH.replace("SELF", prefix).replace("PROGRAM", root["name"])


# ---- zsh

def quoted(text):
    """Within single quotes of zsh and fish."""
    return text.replace("\\", "\\\\").replace("'", "'\\''")


def zsh_text(text):
    return re.sub(r"([\[\]:])", r"\\\1", quoted(sentence(text)))


ZSH = r"""SELF_names() {
    local -a names
    compset -P '*,'
    names=(${(f)"$(command sparserl --complete $1 ${(Q)${(z)LBUFFER}} 2>/dev/null)"})
    if [[ $1 == parameters ]]; then
        compadd -S '' -a names
    else
        compadd -a names
        _files
    fi
}"""


def zsh_values(option, prefix):
    """The action of _arguments for a value."""
    if "choices" in option:
        return f"({' '.join(option['choices'])})"
    if "completes" in option:
        return f" {prefix}_names {option['completes']}"
    if not values(option):
        return "_files"
    return f"{{_alternative \"words\\:word\\:({' '.join(values(option))})\" \"files\\:file\\:_files\"}}"


def zsh(root):
    prefix = "_" + identifier(root["name"])
    lines = [f"#compdef {root['name']}", f"# Completions of {root['name']} for zsh, made from its declared options.", ZSH.replace("SELF", prefix)]
    for words, command, options in walk(root):
        name = "_" + "_".join(identifier(word) for word in words)
        lines += [f"{name}() {{", "    local context state line", "    typeset -A opt_args", "    _arguments -C \\"]
        for option in options:
            value = ""
            if "value" in option:
                value = ":value:" + zsh_values(option, prefix)
            for one in option["names"]:
                lines.append(f"        '*{one}[{zsh_text(option['help'])}]{value}' \\")
        mine = named(command["options"])
        if command["commands"]:
            first = f"'1:name: {prefix}_names {mine}' " if mine else ""
            lines += [f"        {first}'{2 if mine else 1}: :->command' '*:: :->rest'", "    case $state in", "    command)", "        local -a commands=("]
            lines += [f"            '{sub['name']}:{zsh_text(sub['help'])}'" for sub in command["commands"]]
            lines += ["        )", "        _describe command commands ;;", "    rest)", f"        case $line[{2 if mine else 1}] in"]
            lines += [f"        {sub['name']}) {name}_{identifier(sub['name'])} ;;" for sub in command["commands"]]
            lines += ["        esac ;;", "    esac"]
        elif mine:
            lines.append(f"        '*:name: {prefix}_names {mine}'")
        else:
            words_here = positional(command["options"])
            lines.append(f"        '*:word:{zsh_values({'suggestions': words_here}, prefix)}'" if words_here else "        '*:file:_files'")
        lines.append("}")
    lines += [f"{prefix} \"$@\""]
    return "\n".join(lines) + "\n"


# ---- fish

FISH = r"""function SELF_names
    command sparserl --complete $argv[1] (commandline -opc) 2>/dev/null
end
function SELF_plain
    test (count (commandline -opc | string match -v -- '-*')) $argv
end"""


def fish(root):
    program, prefix = root["name"], "_" + identifier(root["name"])
    lines = [f"# Completions of {program} for fish, made from its declared options.", FISH.replace("SELF", prefix)]
    for words, command, options in walk(root):
        inside = " && ".join(f"__fish_seen_subcommand_from {word}" for word in words[1:])
        subs = " ".join(sub["name"] for sub in command["commands"])
        mine = named(command["options"])
        waits = f"{prefix}_plain -gt {len(words)}" if mine else ""  # a name comes first
        for sub in command["commands"]:
            here = " && ".join(part for part in (inside, f"not __fish_seen_subcommand_from {subs}", waits) if part)
            lines.append(f"complete -c {program} -f -n '{here}' -a {sub['name']} -d '{quoted(sentence(sub['help']))}'")
        for option in options:
            if len(words) > 1 and any(option is one for one in root["options"]) or not option["names"]:
                continue  # said once, for everywhere
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"])
            line = f"complete -c {program} {names} -d '{quoted(sentence(option['help']))}'"
            if inside:
                line += f" -n '{inside}'"
            if "value" in option:
                line += " -x" if "choices" in option else " -r"
                offered = [*values(option), *([f"({prefix}_names {option['completes']})"] if "completes" in option else [])]
                line += f" -a '{' '.join(offered)}'" if offered else ""
            lines.append(line)
        if positional(command["options"]):
            lines.append(f"complete -c {program} -n '{inside}' -a '{' '.join(positional(command['options']))}'")
        if mine:
            first = f" && {prefix}_plain -le {len(words)}" if command["commands"] else ""
            lines.append(f"complete -c {program} -n '{inside}{first}' -a '({prefix}_names {mine})'")
    return "\n".join(lines) + "\n"


# ---- man

def roff(text):
    text = sentence(text).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def value_word(option):
    if "choices" in option:
        return "|".join(option["choices"])
    return {"INT": "N", "UINT": "N", "FLOAT": "NUMBER"}.get(option["value"], option["value"])


def man_option(option):
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    if option.get("positional"):
        names = f"\\fI{roff(option['positional'])}\\fR" + (f", {names}" if names else "")
    value = f" \\fI{roff(value_word(option))}\\fR" if "value" in option and option["names"] else ""
    tail = "".join([" Required." if option.get("required") else "", f" Default: {option['default']}." if option.get("default") else ""])
    help_text = sentence(option["help"])
    return [".TP", names + value + (" ..." if option.get("several") else ""), roff(help_text + ("" if help_text.endswith(".") or not tail else ".") + tail)]


def synopsis(command):
    """The words after a command's name, as its help has them: [OPTIONS], what it takes, and its own commands."""
    words = ["[\\fIOPTIONS\\fR]"]
    for option in command["options"]:
        if option.get("positional"):
            word = f"\\fI{roff(option['positional'])}\\fR" + ("..." if option.get("several") else "")
            words.append(word if option.get("required") or command["commands"] else f"[{word}]")
    if command["commands"]:
        words.append("\\fISUBCOMMAND\\fR")
    return " ".join(words)


def man_commands(command, words, lines, given=()):
    """A command and those below it, one section each. `given`: its words with what the commands above it take (control RUN pause)."""
    deep = len(words) > 2
    given = given or words
    lines += [f".SH {roff(' '.join(words).upper())}" if deep else ".SH DESCRIPTION"]
    if deep:
        lines += [f".B {roff(' '.join(given))}", synopsis(command), ".PP"]
    lines.append(roff(command["help"]))
    own = [option for option in command["options"] if "--help" not in option["names"]]
    if own:
        lines.append(".SH OPTIONS" if not deep else ".PP")
        for option in own:
            lines += man_option(option)
    taken = [option["positional"] for option in command["options"] if option.get("positional")]
    for sub in command["commands"]:
        man_commands(sub, (*words, sub["name"]), lines, (*given, *taken, sub["name"]))


def man_tail(statuses, files, examples, see):
    """The last sections of a page."""
    lines = [".SH EXIT STATUS"]
    for status, meaning in statuses:
        lines += [".TP", f"\\fB{roff(status)}\\fR", roff(meaning)]
    lines.append(".SH FILES")
    for file, meaning in files:
        lines += [".TP", f"\\fI{roff(file)}\\fR", roff(meaning)]
    lines.append(".SH EXAMPLES")
    for meaning, line in examples:
        lines += [".PP", roff(meaning), ".PP", ".nf", f".RS\n{roff(line)}\n.RE", ".fi"]
    return [*lines, ".SH SEE ALSO", ", ".join(f"\\fB{roff(page)}\\fR(1)" for page in see)]


def man(root, workbench, version, date):
    """{file name: text}: one page for each program, one for each command."""
    def head(name, what):
        return [f".TH {roff(name.upper())} 1 \"{date}\" \"SparseRL Workbench {version}\" \"User Commands\"", ".SH NAME",
                f"{roff(name)} \\- {roff(what)}"]

    pages = {}
    lines = head("sparserl", root["help"].rstrip("."))
    lines += [".SH SYNOPSIS", ".B sparserl", "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...", ".SH OPTIONS"]
    for option in root["options"]:
        lines += man_option(option)
    lines.append(".SH COMMANDS")
    for command in root["commands"]:
        lines += [".TP", f"\\fBsparserl\\-{roff(command['name'])}\\fR(1)", roff(command["help"])]
    window_page = ["sparserl-workbench"] if workbench else []
    lines += man_tail(EXIT_STATUS, FILES, PROGRAM_EXAMPLES, [*(f"sparserl-{command['name']}" for command in root["commands"]), *window_page])
    pages["sparserl.1"] = "\n".join(lines) + "\n"
    for command in root["commands"]:
        name = f"sparserl-{command['name']}"
        lines = head(name, command["help"].rstrip("."))
        lines += [".SH SYNOPSIS", f".B sparserl {roff(command['name'])}", synopsis(command)]
        man_commands(command, ("sparserl", command["name"]), lines)
        lines += man_tail(EXIT_STATUS, FILES, EXAMPLES[command["name"]], ["sparserl"])
        pages[f"{name}.1"] = "\n".join(lines) + "\n"
    if workbench:
        lines = head(workbench["name"], workbench["help"].rstrip("."))
        lines += [".SH SYNOPSIS", f".B {roff(workbench['name'])}", synopsis(workbench), ".SH OPTIONS"]
        for option in workbench["options"]:
            lines += man_option(option)
        lines += man_tail(WINDOW_EXIT_STATUS, WINDOW_FILES, WINDOW_EXAMPLES, ["sparserl"])
        pages[f"{workbench['name']}.1"] = "\n".join(lines) + "\n"
    return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the files")
    options = parser.parse_args()
    root, workbench = declared(options.bin), window(options.bin)
    for program in (root, *([workbench] if workbench else [])):
        name = program["name"]
        for place, text in ((f"bash/{name}", bash(program)), (f"zsh/_{name}", zsh(program)), (f"fish/{name}.fish", fish(program))):
            file = options.out / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text, encoding="utf-8")
    citation = (pathlib.Path(__file__).resolve().parents[1] / "CITATION.cff").read_text(encoding="utf-8")
    [date] = re.findall(r"^date-released: *[\"']?([0-9-]+)", citation, re.M)
    [version] = re.findall(r"^version: *[\"']?([0-9.]+)", citation, re.M)
    folder = options.out / "man1"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man(root, workbench, version, date).items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
