// SPDX-License-Identifier: Apache-2.0
#include "corpus/estimate_device.h"

#include "machine/device_model.h"

namespace sparserl {

namespace {

double sectorsPerUs(const DeviceModel& model)
{
    return model.l2SectorsPerSmClock * model.clockGHz;
}

double residentBytes(const DeviceModel& model)
{
    return static_cast<double>(model.l2Bytes) * model.l2Share;
}

double issueRate(const DeviceModel& model)
{
    return model.issuePerClock * model.clockGHz;
}

double l2Latency(const DeviceModel& model)
{
    return (model.l1Latency + model.l2Latency) / model.clockGHz;
}

double dramLatency(const DeviceModel& model)
{
    return (model.l1Latency + model.l2Latency + model.dramLatency) / model.clockGHz;
}

double blockStart(const DeviceModel& model)
{
    return model.blockClocks / (model.clockGHz * model.smCount);
}

double atomicTime(const DeviceModel& model)
{
    return 1 / (model.atomicsPerClock * model.clockGHz);
}

/// A figure of the device over the same of the one that was fitted; exactly 1 for that one.
template <typename Figure>
double share(const DeviceModel& model, Figure figure)
{
    return figure(model) / figure(defaultDeviceModel());
}

template <typename Number>
double share(const DeviceModel& model, Number DeviceModel::*member)
{
    return static_cast<double>(model.*member) / static_cast<double>(defaultDeviceModel().*member);
}

} // namespace

SpmvDevice spmvDevice(const DeviceModel& model)
{
    using M = DeviceModel;
    SpmvDevice device;
    device.sms = model.smCount;
    device.threadsPerSm = model.maxThreadsPerSm;
    device.registersPerSm = static_cast<double>(model.registersPerSm);
    // Figures of the H200 from public specifications and micro-benchmarks, rounded, as they were when the
    // weights were fitted.
    device.dramBytesPerUs = 4.4e6 * share(model, &M::dramGBps);
    device.l2BytesPerUs = 7.5e6 * share(model, &M::l2GBps);
    device.l2Bytes = 45e6 * share(model, residentBytes);
    device.l1Columns = 40e3 * share(model, &M::l1Bytes);
    device.smBytesPerUs = 0.1e6 * share(model, sectorsPerUs);
    device.lanesPerUs = device.sms * 128.0 * 1700 * share(model, issueRate);
    device.doubleSlots = model.fp64Clocks * model.issuePerClock;
    device.shuffleUs = 0.014 / share(model, &M::clockGHz);
    device.l2LatencyUs = 0.16 * share(model, l2Latency);
    device.dramLatencyUs = 0.4 * share(model, dramLatency);
    device.call = share(model, &M::launchMicroseconds);
    device.launch = share(model, &M::nextLaunchMicroseconds);
    device.clear = share(model, &M::fillMicroseconds);
    device.block = share(model, blockStart);
    device.atomic = share(model, atomicTime);
    return device;
}

} // namespace sparserl
