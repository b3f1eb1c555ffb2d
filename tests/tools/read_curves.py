#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What TensorBoard or MLflow reads of exported curves: read_curves.py tensorboard|mlflow FOLDER, for
tests/project/tst_curve_files.cpp. Prints JSON: curves "SPLIT/METRIC" as [step, value as a hexadecimal float,
Unix seconds], and parameters of the only run."""
import json
import pathlib
import sys


def tensorboard(folder):
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    curves, parameters = {}, {}
    for split in sorted(path for path in folder.glob("*/*") if path.is_dir()):
        events = EventAccumulator(str(split), size_guidance={"scalars": 0, "tensors": 0})
        events.Reload()
        for tag in events.Tags()["scalars"]:
            curves[f"{split.name}/{tag}"] = [
                [point.step, float(point.value).hex(), point.wall_time] for point in events.Scalars(tag)
            ]
        for tag in events.Tags()["tensors"]:
            for point in events.Tensors(tag):
                for line in point.tensor_proto.string_val[0].decode().splitlines():
                    cells = line.replace("\\|", "/").split("|")
                    if len(cells) == 4:
                        parameters[cells[1].strip()] = cells[2].strip()
    return curves, parameters


def mlflow(folder):
    from mlflow.tracking import MlflowClient

    client = MlflowClient(tracking_uri=folder.as_uri())
    (run,) = client.search_runs(["0"])
    curves = {
        name: [
            [point.step, float(point.value).hex(), point.timestamp / 1000]
            for point in client.get_metric_history(run.info.run_id, name)
        ]
        for name in run.data.metrics
    }
    return curves, dict(run.data.params)


def main():
    read = {"tensorboard": tensorboard, "mlflow": mlflow}[sys.argv[1]]
    curves, parameters = read(pathlib.Path(sys.argv[2]).absolute())
    json.dump({"curves": curves, "parameters": parameters}, sys.stdout)


if __name__ == "__main__":
    main()
