# SPDX-License-Identifier: Apache-2.0
"""What manual pages say that no program declares: an example of each command, files, exit statuses."""

EXIT_STATUS = (("0", "The work was done."), ("1", "It failed, or something that you named does not exist."),
               ("2", "The command line is wrong."), ("130", "It was interrupted, for example with Ctrl+C."))

WINDOW_EXIT_STATUS = (("0", "The window was closed."), ("1", "There is no display, or the project cannot be opened for --screenshot."),
                      ("2", "The command line is wrong."), ("129, 130, 143", "It was ended by SIGHUP, SIGINT or SIGTERM."))

FILES = (("project.toml", "A project: its title and its list of matrices. Commands find it in the current folder or in one above."),
         ("runs/", "Below a project: a folder for each run."),
         ("job.toml", "Below a project: the stages of its job."),
         ("~/.config/sparserl/", "Projects that you trust, links that you allow, hosts that you confirmed (XDG_CONFIG_HOME)."))

WINDOW_FILES = (("~/.config/sparserl/workbench.ini", "The window's settings (XDG_CONFIG_HOME), unless --settings names another file."),
                FILES[0], FILES[3])

EXAMPLES = {
    "features": (("The features of a file and of a generated matrix.", "sparserl features A.mtx 'stencil2d(n=64)'"),),
    "import": (("Add two matrices to a project, for evaluation only.", "sparserl import A.mtx B.mtx --project solver --split held-out"),),
    "multiply": (("Check how a file was read.", "sparserl multiply A.mtx"),),
    "corpus": (("Which kernel families suit a matrix?", "sparserl corpus recommend A.mtx"),
               ("Write ten programs of the family S3.", "sparserl corpus sample --family S3 -n 10 --out programs")),
    "judge": (("Is a program correct, and how fast is it?", "sparserl judge k.cu --matrix A.mtx"),
              ("The same on the simulated device, for a script.", "sparserl --json judge k.cu --matrix A.mtx --device sim --fail")),
    "compare": (("Two programs side by side.", "sparserl compare a.cu b.cu A.mtx"),),
    "train": (("Start a run.", "sparserl train quickstart-sft --project solver --set sft.steps=200"),
              ("Resume it.", "sparserl train --run solver/runs/0001-sft")),
    "worker": (("Continue a run without a report on the terminal.", "sparserl worker solver/runs/0001-sft"),),
    "generate": (("Programs of the default policy, judged.", "sparserl generate A.mtx"), ("Four programs of a policy, judged.", "sparserl generate --policy 0001-sft --matrix A.mtx -n 4"),),
    "serve": (("Answer requests of other programs with a policy.", "sparserl serve --policy 0001-sft --port 8000"),),
    "endpoint": (("Describe a model on a server, and ask it.", "sparserl endpoint add local --url http://127.0.0.1:8000/v1 --model qwen2.5-coder"),
                 ("Which endpoints are there?", "sparserl endpoint list")),
    "operator": (("Import a task, and run its graph without Python.", "sparserl operator import task.py --out graphs"),
                 ("Make 200 tasks that are unlike KernelBench's.", "sparserl operator synthesize made -n 200 --held-out kb=graphs")),
    "evaluate": (("Evaluate a policy on a matrix, and write a table.", "sparserl evaluate --policy 0001-sft --matrix A.mtx -n 10 --table results.md"),),
    "export": (("Export the fastest program of a run.", "sparserl export --run 0001-sft"),
               ("Export a program file.", "sparserl export --program k.cu --matrix A.mtx --out bundle")),
    "runs": (("Runs that are done.", "sparserl runs --filter 'status = done'"),
             ("One run with its checkpoints.", "sparserl runs 0001-sft")),
    "control": (("Change a parameter of a live run.", "sparserl control 0001-sft set checkpoint.every=50"),
                ("Start another run from its newest checkpoint.", "sparserl control 0001-sft fork sft.lr=1e-4")),
    "project": (("Create a project.", "sparserl project new solver --title Solver"),
                ("List its matrices.", "sparserl project matrices --project solver")),
    "doctor": (("What does this machine have, and what does it lack?", "sparserl doctor"),),
    "device": (("The devices of this machine.", "sparserl device info"),),
    "bench": (("The fastest programs of the corpus for a matrix.", "sparserl bench A.mtx --out winners"),),
    "search": (("Search for a minute for a faster program.", "sparserl search A.mtx --seconds 60 --out records"),),
    "job": (("Run the job of a project.", "sparserl job --project solver"),),
    "pack": (("Pack the patterns of many matrices.", "sparserl pack A.mtx B.mtx --out matrices.pack"),),
    "policy": (("Make a policy from a model in Hugging Face files.", "sparserl policy import codet5-small --out policies/codet5"),),
    "specialise": (("Train a policy briefly on your matrix.", "sparserl specialise --policy 0001-sft --matrix A.mtx --out special"),),
    "ablate": (("Which tables are there?", "sparserl ablate --list"),),
    "compile": (("The PTX of a program, explained.", "sparserl compile k.cu --explain"),),
    "remote": (("What does another machine have?", "sparserl remote check gpu-box"),),
}

PROGRAM_EXAMPLES = (("What does this machine have, and what does it lack?", "sparserl doctor"),
                    ("The fastest programs for a matrix.", "sparserl bench A.mtx"),
                    ("The options of a command.", "sparserl help judge"))

WINDOW_EXAMPLES = (("Open a project on a page.", "sparserl-workbench solver --page kernels"),
                   ("Pictures of every page, without a display.", "sparserl-workbench solver --screenshot pictures --theme dark"))
