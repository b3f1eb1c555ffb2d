# SPDX-License-Identifier: Apache-2.0
VALUES = [1, 2, 3]
