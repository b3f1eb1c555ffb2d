// SPDX-License-Identifier: Apache-2.0
#include "training/work/process_group.h"

#include "base/interruption.h"
#include "training/work/packed.h"

namespace sparserl {

bool anyProcess(ProcessGroup& processes, bool own)
{
    return sumNumbers(processes, {own ? 1.0 : 0.0})[0] > 0;
}

Status ofLeader(ProcessGroup& processes, const Status& own)
{
    if (processes.alone())
        return own;
    Packer packer;
    packer.number(own.has_value());
    packer.number(!own && isInterruption(own.error()));
    packer.text(own ? std::string() : own.error().what);
    packer.text(own ? std::string() : own.error().file);
    packer.text(own ? std::string() : own.error().remedy);
    const std::string bytes = processes.broadcast(packer.take());
    Unpacker unpacker(bytes);
    const bool good = unpacker.number<bool>(), interrupted = unpacker.number<bool>();
    Error error;
    error.what = unpacker.text();
    error.file = unpacker.text();
    error.remedy = unpacker.text();
    if (good)
        return {};
    return fail(interrupted ? interruption() : error);
}

std::vector<std::vector<double>> gatherNumbers(ProcessGroup& processes, const std::vector<double>& own)
{
    if (processes.alone())
        return {own};
    Packer packer;
    packer.numbers(std::span<const double>(own));
    std::vector<std::vector<double>> all;
    for (const auto& bytes : processes.gather(packer.take()))
        all.push_back(Unpacker(bytes).numbers<double>());
    return all;
}

std::vector<double> sumNumbers(ProcessGroup& processes, const std::vector<double>& own)
{
    if (processes.alone())
        return own;
    std::vector<double> sums(own.size(), 0.0);
    for (const auto& numbers : gatherNumbers(processes, own)) {
        for (std::size_t i = 0; i < sums.size(); ++i)
            sums[i] += numbers.at(i);
    }
    return sums;
}

Share shareOf(std::size_t count, int rank, int size)
{
    const auto r = static_cast<std::size_t>(rank), n = static_cast<std::size_t>(size);
    return {count * r / n, count * (r + 1) / n};
}

Share shareOf(std::size_t count, const ProcessGroup& processes)
{
    return shareOf(count, processes.rank(), processes.size());
}

} // namespace sparserl
