#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Completions of shells and manual pages: command_words.py --bin DIR --out DIR

They are made from what the two programs of the command line declare (`sparserl --describe`), nothing is written by hand:
bash/sparserl, zsh/_sparserl, fish/sparserl.fish and man1/sparserl[-COMMAND].1.gz below the folder.
"""
import argparse
import gzip
import json
import pathlib
import re
import subprocess


def declared(folder):
    """The tree of commands: those of sparserl, with the options that sparserl-training has for its own."""
    def ask(program):
        return json.loads(subprocess.run([str(folder / program), "--describe"], check=True, capture_output=True, text=True).stdout)

    root = ask("sparserl")
    training = {one["name"]: one for one in ask("sparserl-training")["commands"]} if (folder / "sparserl-training").exists() else {}
    root["commands"] = [training.get(one["name"], one) for one in root["commands"]]
    return root


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


def sentence(text):
    return " ".join(text.split())


# ---- bash

def bash(root):
    """One function; what may stand where is in three tables by the words of the command."""
    lines = ["# Completions of sparserl for bash, made from its declared options.", "_sparserl_words() {", "    case \"$1\" in"]
    for words, command, options in walk(root):
        names = " ".join(name for option in options for name in option["names"])
        subs = " ".join(sub["name"] for sub in command["commands"])
        alone = ' '.join(positional(command["options"]))
        lines.append(f"    '{' '.join(words)}') commands='{subs}' options='{names}' positional='{alone}' ;;")
    lines += ["    esac", "}", "_sparserl_values() {", "    case \"$1\" in"]
    for words, command, options in walk(root):
        for option in options:
            if "value" in option:
                keys = "|".join(f"'{' '.join(words)} {name}'" for name in option["names"])
                lines.append(f"    {keys}) values='{' '.join(values(option))}' takes={'words' if 'choices' in option else 'files'} ;;")
    lines += ["    esac", "}", """_sparserl() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} place=sparserl commands options positional values takes i
    COMPREPLY=()
    # "--option=value" comes in three words.
    if [[ $word == = ]]; then
        word=
    elif [[ $before == = && COMP_CWORD -gt 1 ]]; then
        before=${COMP_WORDS[COMP_CWORD-2]}
    fi
    _sparserl_words "$place"
    for ((i = 1; i < COMP_CWORD; ++i)); do
        if [[ " $commands " == *" ${COMP_WORDS[i]} "* ]]; then
            place="$place ${COMP_WORDS[i]}"
            _sparserl_words "$place"
        fi
    done
    values= takes=
    _sparserl_values "$place $before"
    if [[ -n $takes ]]; then
        COMPREPLY=($(compgen -W "$values" -- "$word"))
        [[ $takes == files ]] && COMPREPLY+=($(compgen -f -- "$word"))
    elif [[ $word == -* ]]; then
        COMPREPLY=($(compgen -W "$options" -- "$word"))
    elif [[ -n $commands ]]; then
        COMPREPLY=($(compgen -W "$commands" -- "$word") $(compgen -f -- "$word"))
        [[ $place == sparserl ]] && COMPREPLY=($(compgen -W "$commands" -- "$word"))
    else
        COMPREPLY=($(compgen -W "$positional" -- "$word") $(compgen -f -- "$word"))
    fi
}
complete -o filenames -F _sparserl sparserl"""]
    return "\n".join(lines) + "\n"


# ---- zsh

def quoted(text):
    """Within single quotes of zsh and fish."""
    return text.replace("\\", "\\\\").replace("'", "'\\''")


def zsh_text(text):
    return re.sub(r"([\[\]:])", r"\\\1", quoted(sentence(text)))


def zsh_values(option):
    """The action of _arguments for a value."""
    if "choices" in option:
        return f"({' '.join(option['choices'])})"
    if not values(option):
        return "_files"
    return f"{{_alternative \"words\\:word\\:({' '.join(values(option))})\" \"files\\:file\\:_files\"}}"


def zsh(root):
    lines = ["#compdef sparserl", "# Completions of sparserl for zsh, made from its declared options."]
    for words, command, options in walk(root):
        name = "_" + "_".join(re.sub(r"\W", "_", word) for word in words)
        lines += [f"{name}() {{", "    local context state line", "    typeset -A opt_args", "    _arguments -C \\"]
        for option in options:
            value = ""
            if "value" in option:
                value = ":value:" + zsh_values(option)
            for one in option["names"]:
                lines.append(f"        '*{one}[{zsh_text(option['help'])}]{value}' \\")
        if command["commands"]:
            lines += ["        '1: :->command' '*:: :->rest'", "    case $state in", "    command)", "        local -a commands=("]
            lines += [f"            '{sub['name']}:{zsh_text(sub['help'])}'" for sub in command["commands"]]
            lines += ["        )", "        _describe command commands ;;", "    rest)", "        case $line[1] in"]
            lines += [f"        {sub['name']}) {name}_{re.sub(r'[^a-zA-Z0-9_]', '_', sub['name'])} ;;" for sub in command["commands"]]
            lines += ["        esac ;;", "    esac"]
        else:
            words_here = positional(command["options"])
            lines.append(f"        '*:word:{zsh_values({'suggestions': words_here})}'" if words_here else "        '*:file:_files'")
        lines.append("}")
    lines += ["_sparserl \"$@\""]
    return "\n".join(lines) + "\n"


# ---- fish

def fish(root):
    lines = ["# Completions of sparserl for fish, made from its declared options."]
    for words, command, options in walk(root):
        inside = " && ".join(f"__fish_seen_subcommand_from {word}" for word in words[1:])
        subs = " ".join(sub["name"] for sub in command["commands"])
        for sub in command["commands"]:
            here = " && ".join(part for part in (inside, f"not __fish_seen_subcommand_from {subs}") if part)
            lines.append(f"complete -c sparserl -f -n '{here}' -a {sub['name']} -d '{quoted(sentence(sub['help']))}'")
        for option in options:
            if len(words) > 1 and any(option is one for one in root["options"]):
                continue  # said once, for everywhere
            names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option["names"])
            line = f"complete -c sparserl {names} -d '{quoted(sentence(option['help']))}'"
            if inside:
                line += f" -n '{inside}'"
            if "value" in option:
                line += " -x" if "choices" in option else " -r"
                line += f" -a '{' '.join(values(option))}'" if values(option) else ""
            lines.append(line)
        if positional(command["options"]):
            lines.append(f"complete -c sparserl -n '{inside}' -a '{' '.join(positional(command['options']))}'")
    return "\n".join(lines) + "\n"


# ---- man

def roff(text):
    text = sentence(text).replace("\\", "\\e").replace("-", "\\-").replace("'", "\\(aq")
    return "\\&" + text if text.startswith(".") else text


def man_option(option):
    names = ", ".join(f"\\fB{roff(name)}\\fR" for name in option["names"])
    if option.get("positional"):
        names = f"\\fI{roff(option['positional'])}\\fR" + (f", {names}" if names else "")
    value = f" \\fI{roff('|'.join(option['choices']) if 'choices' in option else option['value'])}\\fR" if "value" in option and option["names"] else ""
    tail = "".join([" Required." if option.get("required") else "", f" Default: {option['default']}." if option.get("default") else ""])
    help_text = sentence(option["help"])
    return [".TP", names + value + (" ..." if option.get("several") else ""), roff(help_text + ("" if help_text.endswith(".") or not tail else ".") + tail)]


def man_commands(command, words, lines):
    """A command and those below it, one section each."""
    lines += [f".SH {roff(' '.join(words).upper())}" if len(words) > 2 else ".SH DESCRIPTION", roff(command["help"])]
    own = [option for option in command["options"] if "--help" not in option["names"]]
    if own:
        lines.append(".SH OPTIONS" if len(words) <= 2 else ".PP")
        for option in own:
            lines += man_option(option)
    for sub in command["commands"]:
        man_commands(sub, (*words, sub["name"]), lines)


def man(root):
    """{file name: text}: one page for the program, one for each of its commands."""
    def head(name, what):
        return [f".TH {name.upper()} 1 \"\" \"SparseRL Workbench\" \"User Commands\"", ".SH NAME", f"{roff(name)} \\- {roff(what)}"]

    pages = {}
    lines = head("sparserl", root["help"].rstrip("."))
    lines += [".SH SYNOPSIS", ".B sparserl", "[\\fIOPTIONS\\fR] \\fICOMMAND\\fR ...", ".SH OPTIONS"]
    for option in root["options"]:
        lines += man_option(option)
    lines.append(".SH COMMANDS")
    for command in root["commands"]:
        lines += [".TP", f"\\fBsparserl\\-{roff(command['name'])}\\fR(1)", roff(command["help"])]
    lines += [".SH EXIT STATUS", "0: the work was done. 1: it failed, or something you named does not exist. 2: the command line is wrong. "
              "130: interrupted."]
    pages["sparserl.1"] = "\n".join(lines) + "\n"
    for command in root["commands"]:
        name = f"sparserl-{command['name']}"
        lines = head(name, command["help"].rstrip("."))
        positional = " ".join(f"\\fI{roff(option['positional'])}\\fR" for option in command["options"] if option.get("positional"))
        lines += [".SH SYNOPSIS", f".B sparserl {roff(command['name'])}", f"[\\fIOPTIONS\\fR] {positional}".rstrip()]
        man_commands(command, ("sparserl", command["name"]), lines)
        lines += [".SH SEE ALSO", ".BR sparserl (1)"]
        pages[f"{name}.1"] = "\n".join(lines) + "\n"
    return pages


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--bin", required=True, type=pathlib.Path, help="folder of the programs")
    parser.add_argument("--out", required=True, type=pathlib.Path, help="folder for the files")
    options = parser.parse_args()
    root = declared(options.bin)
    for name, text in (("bash/sparserl", bash(root)), ("zsh/_sparserl", zsh(root)), ("fish/sparserl.fish", fish(root))):
        file = options.out / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    folder = options.out / "man1"
    folder.mkdir(parents=True, exist_ok=True)
    for name, text in man(root).items():
        (folder / f"{name}.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


if __name__ == "__main__":
    main()
