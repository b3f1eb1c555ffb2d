# SPDX-License-Identifier: Apache-2.0
import torch


class Exactly:
    def __enter__(self):
        torch.use_deterministic_algorithms(True)

    def __exit__(self, *_):
        torch.use_deterministic_algorithms(False)
