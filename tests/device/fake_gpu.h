// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "device/cuda/cuda_device.h"

#include <QByteArray>
#include <memory>

namespace sparserl::harness {

/// A GPU of the driver of the tests (fake_driver.cpp), as it is on a good day.
inline Result<std::unique_ptr<CudaDevice>> fakeGpu()
{
    qputenv("SPARSERL_CUDA_DIR", SPARSERL_FAKE_CUDA);
    qputenv("SPARSERL_FAKE_DRIVER", SPARSERL_FAKE_DRIVER);
    qputenv("SPARSERL_FAKE_GPU", "");
    return CudaDevice::create(0, SPARSERL_FAKE_DRIVER);
}

} // namespace sparserl::harness
