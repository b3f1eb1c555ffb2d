// SPDX-License-Identifier: Apache-2.0
// The only file that knows c10d. Gloo's headers are Debian's, as the wheel has none; its code is in the
// wheel.
#define USE_C10D_GLOO
#include "training/stages/join_processes.h"

#include "base/hash.h"
#include "base/printable.h"
#include "policy/compute/cuda_part.h"
#include "training/stages/listens.h"

#include <ATen/ATen.h>
#include <algorithm>
#include <atomic>
#include <fmt/format.h>
#include <functional>
#include <future>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <torch/csrc/distributed/c10d/PrefixStore.hpp>
#include <torch/csrc/distributed/c10d/ProcessGroupGloo.hpp>
#include <torch/csrc/distributed/c10d/TCPStore.hpp>
#include <unistd.h>

namespace sparserl {

namespace {

using std::chrono::milliseconds;
using Clock = std::chrono::steady_clock;

/// How long one exchange may take: others wait while process 0 judges a corpus or saves a checkpoint. A
/// process that ends is noticed at once.
constexpr milliseconds exchangePatience = std::chrono::hours(6);

constexpr int quietLogLevel = 3; ///< c10's FATAL.

constexpr const char* failureKey = "failure";
constexpr const char* runKey = "run";
constexpr const char* endKey = "end";

std::vector<std::uint8_t> bytesOf(std::string_view text)
{
    return {text.begin(), text.end()};
}

std::string textOf(const std::vector<std::uint8_t>& bytes)
{
    return {bytes.begin(), bytes.end()};
}

/// The first line of what a library says.
std::string shortly(const char* what)
{
    const std::string_view text(what);
    return printable(text.substr(0, text.find('\n')));
}

/// Value of a key, if it is there by now. Nothing too where the place is gone.
std::string valueOf(c10d::Store& store, const std::string& key)
{
    try {
        return store.check({key}) ? textOf(store.get(key)) : std::string();
    } catch (const std::exception&) {
        return {};
    }
}

void setQuietly(c10d::Store& store, const std::string& key, std::string_view value)
{
    try {
        store.set(key, bytesOf(value));
    } catch (const std::exception&) {
        // Nobody is left to read it.
    }
}

class TorchGroup : public ProcessGroup
{
public:
    TorchGroup(ProcessPlace place, c10::intrusive_ptr<c10d::Store> store,
               c10::intrusive_ptr<c10d::ProcessGroupGloo> gloo)
        : m_place(std::move(place))
        , m_store(std::move(store))
        , m_gloo(std::move(gloo))
    {
    }
    int rank() const override { return m_place.rank; }
    int size() const override { return m_place.size; }
    int localRank() const override { return m_place.localRank; }
    int localSize() const override { return m_place.localSize; }

    void sum(std::vector<at::Tensor>& tensors) override
    {
        for (auto& tensor : tensors) {
            if (m_gpuSum && tensor.is_cuda())
                guarded([&] { m_gpuSum->sum(tensor); });
            else
                onHost(tensor, [&](std::vector<at::Tensor>& one) { m_gloo->allreduce(one)->wait(); });
        }
    }
    void broadcast(std::vector<at::Tensor>& tensors) override
    {
        for (auto& tensor : tensors)
            onHost(tensor, [&](std::vector<at::Tensor>& one) { m_gloo->broadcast(one)->wait(); });
    }
    std::string broadcast(std::string bytes) override
    {
        return guarded([&] {
            std::vector<at::Tensor> length{at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong)};
            m_gloo->broadcast(length)->wait();
            bytes.resize(static_cast<std::size_t>(length[0].item<std::int64_t>()));
            std::vector<at::Tensor> content{tensorOver(bytes)};
            if (!bytes.empty())
                m_gloo->broadcast(content)->wait();
            return std::move(bytes);
        });
    }
    std::vector<std::string> gather(std::string bytes) override
    {
        return guarded([&] {
            const auto sizes =
                gatherTensor(at::full({1}, static_cast<std::int64_t>(bytes.size()), at::kLong));
            std::int64_t longest = 0;
            for (const auto& size : sizes)
                longest = std::max(longest, size.item<std::int64_t>());
            std::vector<std::string> all(sizes.size());
            if (longest == 0)
                return all;
            bytes.resize(static_cast<std::size_t>(longest));
            const auto parts = gatherTensor(tensorOver(bytes));
            for (std::size_t i = 0; i < all.size(); ++i)
                all[i].assign(static_cast<const char*>(parts[i].const_data_ptr()),
                              static_cast<std::size_t>(sizes[i].item<std::int64_t>()));
            return all;
        });
    }

    /// NCCL, if every process has it and a GPU of its own.
    std::string useGpu(int device)
    {
        std::string why;
        const auto maker = device >= 0 ? gpuSumMaker(&why) : nullptr;
        char host[256] = {};
        ::gethostname(host, sizeof host - 1);
        const auto gpus = gather(device < 0 ? "cpu"
                                 : maker    ? fmt::format("{} {}", host, device)
                                            : std::string());
        if (device < 0)
            return {};
        const std::set<std::string> different(gpus.begin(), gpus.end());
        if (!maker)
            return why;
        if (different.size() < gpus.size() || different.contains("") || different.contains("cpu"))
            return "Gradients go through the host's memory: not every process has NCCL and a GPU of its own";
        const auto id = broadcast(rank() == 0 ? maker->newId() : std::string());
        guarded([&] { m_gpuSum = maker->join(id, rank(), size(), device); });
        m_watchedSum = m_gpuSum.get();
        return "Gradients go from GPU to GPU over NCCL";
    }

    void requestEnd(EndRequest request) override
    {
        if (request != EndRequest::None)
            setQuietly(*m_store, endKey, request == EndRequest::Stop ? "stop" : "interrupt");
    }
    EndRequest endRequested() override
    {
        // Gloo notices the end of a process by itself.
        if (auto* gpus = m_watchedSum.load(); gpus != nullptr && !valueOf(*m_store, failureKey).empty())
            gpus->abandon();
        const auto value = valueOf(*m_store, endKey);
        return value.empty() ? EndRequest::None : value == "stop" ? EndRequest::Stop : EndRequest::Interrupt;
    }
    void reportFailure(const std::string& sentence) override
    {
        if (valueOf(*m_store, failureKey).empty()) // the first one is the cause
            setQuietly(*m_store, failureKey, sentence);
    }

private:
    static at::Tensor tensorOver(std::string& bytes)
    {
        return at::from_blob(bytes.data(), {static_cast<std::int64_t>(bytes.size())}, at::kByte);
    }
    std::vector<at::Tensor> gatherTensor(at::Tensor own)
    {
        std::vector<std::vector<at::Tensor>> into(1);
        for (int i = 0; i < size(); ++i)
            into[0].push_back(at::empty_like(own));
        std::vector<at::Tensor> from{std::move(own)};
        m_gloo->allgather(into, from)->wait();
        return into[0];
    }
    /// Gloo works on the host's memory.
    template <typename Work>
    void onHost(at::Tensor& tensor, const Work& work)
    {
        guarded([&] {
            const bool direct = tensor.is_cpu() && tensor.is_contiguous();
            std::vector<at::Tensor> one{direct ? tensor : tensor.to(at::kCPU).contiguous()};
            work(one);
            if (!direct)
                tensor.copy_(one[0]);
        });
    }
    template <typename Work>
    auto guarded(const Work& work) -> decltype(work())
    {
        try {
            return work();
        } catch (const std::exception& error) {
            throw ProcessFault(lostSentence(error.what()));
        }
    }
    /// The process that failed has said so, or the one that started it will: both may take a moment.
    std::string lostSentence(const char* what)
    {
        const auto end = Clock::now() + std::chrono::seconds(3);
        while (Clock::now() < end) {
            if (auto sentence = valueOf(*m_store, failureKey); !sentence.empty())
                return sentence;
            std::this_thread::sleep_for(milliseconds(100));
        }
        return fmt::format("A process of this run has ended or cannot be reached ({})", shortly(what));
    }

    ProcessPlace m_place;
    c10::intrusive_ptr<c10d::Store> m_store;
    c10::intrusive_ptr<c10d::ProcessGroupGloo> m_gloo;
    std::unique_ptr<GpuSum> m_gpuSum;
    std::atomic<GpuSum*> m_watchedSum = nullptr; ///< The same, for the thread that watches.
};

bool isLoopback(const std::string& address)
{
    return address == "localhost" || address.starts_with("127.");
}

/// "1", "1 and 3", "1, 2 and 3"
std::string listed(const std::vector<int>& numbers)
{
    std::string text;
    for (std::size_t i = 0; i < numbers.size(); ++i)
        text += (i == 0 ? "" : i + 1 == numbers.size() ? " and " : ", ") + std::to_string(numbers[i]);
    return text;
}

std::string arrivalKey(int rank)
{
    return "here/" + std::to_string(rank);
}

double seconds(milliseconds time)
{
    return std::chrono::duration<double>(time).count();
}

constexpr const char* reachIt =
    "Make sure that process 0 runs, and that its host and port can be reached from here";

std::string unreached(const ProcessPlace& place, milliseconds patience)
{
    return fmt::format("Process {} did not reach process 0 at {}:{} within {} seconds", place.rank,
                       place.address, place.port, seconds(patience));
}

/// What `work` gives, or nothing where it takes longer than `patience` or `abandoned` says so: a peer that
/// accepts and says nothing would be waited for without end. Then a thread is left that waits; the command
/// ends.
template <typename T>
std::optional<T> within(milliseconds patience, std::function<T()> work,
                        const std::function<bool()>& abandoned)
{
    std::packaged_task<T()> task(std::move(work));
    auto future = task.get_future();
    std::thread(std::move(task)).detach();
    for (const auto end = Clock::now() + patience; Clock::now() < end && !abandoned();)
        if (future.wait_for(milliseconds(50)) == std::future_status::ready)
            return future.get();
    return std::nullopt;
}

/// What is told of a run's secret to those that come.
std::string proofOf(const ProcessPlace& place)
{
    return sha256Hex("meeting place\n" + place.secret);
}

} // namespace

struct MeetingPlace::Impl
{
    ProcessPlace place;
    milliseconds patience;
    c10::intrusive_ptr<c10d::TCPStore> tcp;
    c10::intrusive_ptr<c10d::Store> store;
};

MeetingPlace::MeetingPlace(std::unique_ptr<Impl> impl)
    : m_impl(std::move(impl))
{
}
MeetingPlace::MeetingPlace(MeetingPlace&&) noexcept = default;
MeetingPlace& MeetingPlace::operator=(MeetingPlace&&) noexcept = default;
MeetingPlace::~MeetingPlace() = default;

Result<MeetingPlace> MeetingPlace::open(const ProcessPlace& place, milliseconds patience)
{
    // What fails is an exception, which becomes a sentence; the library would print its stack as well.
    FLAGS_caffe2_log_level = std::max(FLAGS_caffe2_log_level, quietLogLevel);
    c10d::TCPStoreOptions options;
    options.port = static_cast<std::uint16_t>(place.port);
    options.isServer = place.rank == 0 && !place.isHosted;
    options.waitWorkers = false;
    options.timeout = patience;
    auto impl = std::make_unique<Impl>();
    impl->place = place;
    impl->patience = patience;
    try {
        auto store = within<c10::intrusive_ptr<c10d::TCPStore>>(
            patience + std::chrono::seconds(1),
            [address = place.address, options] {
                return c10::make_intrusive<c10d::TCPStore>(address, options);
            },
            [] { return false; });
        // A busy machine may be late to say that nobody is there.
        if (!store && !options.isServer && !listens(place.address, place.port))
            return fail(unreached(place, patience), reachIt);
        if (!store)
            return fail(
                fmt::format("what listens at {}:{} does not answer process {} as process 0 of a run does",
                            place.address, place.port, place.rank),
                "See with `ss -ltnp` which program has this port, and choose another MASTER_PORT");
        impl->tcp = std::move(*store);
    } catch (const std::exception& error) {
        if (options.isServer)
            return fail(fmt::format("process 0 cannot open port {} for the others: {}", place.port,
                                    shortly(error.what())),
                        "Choose another MASTER_PORT");
        return fail(unreached(place, patience), reachIt);
    }
    impl->store = impl->tcp;
    if (!place.keyPrefix.empty())
        impl->store = c10::make_intrusive<c10d::PrefixStore>(place.keyPrefix, impl->tcp);
    return MeetingPlace(std::move(impl));
}

int MeetingPlace::port() const
{
    return m_impl->tcp->getPort();
}

void MeetingPlace::reportFailure(const std::string& sentence) const
{
    if (valueOf(*m_impl->store, failureKey).empty())
        setQuietly(*m_impl->store, failureKey, sentence);
}

Result<std::shared_ptr<ProcessGroup>> MeetingPlace::join() const
{
    auto& store = *m_impl->store;
    const auto& place = m_impl->place;
    const auto end = Clock::now() + m_impl->patience;
    const auto where = [&] { return fmt::format("{}:{}", place.address, port()); };
    try {
        if (place.rank == 0)
            store.set(runKey, bytesOf(proofOf(place)));
        while (!store.check({runKey}) && Clock::now() < end)
            std::this_thread::sleep_for(milliseconds(50));
        if (const auto proof = valueOf(store, runKey); !proof.empty() && proof != proofOf(place))
            return fail(
                fmt::format("the processes that meet at {} are of another run than process {}", where(),
                            place.rank),
                "Give each run a MASTER_PORT of its own, and all its processes the same command line");
        if (store.add(arrivalKey(place.rank), 1) > 1)
            return fail(fmt::format("another process with rank {} of this run has already connected to {}",
                                    place.rank, where()),
                        "Start each process once, with a RANK of its own");
        for (;;) {
            std::vector<int> missing;
            for (int rank = 0; rank < place.size; ++rank) {
                if (!store.check({arrivalKey(rank)}))
                    missing.push_back(rank);
            }
            if (missing.empty())
                break;
            if (const auto sentence = valueOf(store, failureKey); !sentence.empty())
                return fail(sentence);
            if (Clock::now() > end)
                return fail(fmt::format("of {} processes {} did not come to {} within {} seconds: {}",
                                        place.size, missing.size(), where(), seconds(m_impl->patience),
                                        listed(missing)),
                            "See why they were not started, or give them more time with --join-seconds");
            std::this_thread::sleep_for(milliseconds(50));
        }
        auto options = c10d::ProcessGroupGloo::Options::create(exchangePatience);
        using Gloo = c10d::ProcessGroupGloo;
        if (const auto interface = readEnvironment("GLOO_SOCKET_IFNAME"))
            options->devices.push_back(Gloo::createDeviceForInterface(*interface));
        else if (isLoopback(place.address))
            options->devices.push_back(Gloo::createDeviceForHostname("127.0.0.1"));
        else
            options->devices.push_back(Gloo::createDefaultDevice());
        // One that has come may end before it is connected with.
        auto gloo = within<c10::intrusive_ptr<Gloo>>(
            m_impl->patience,
            [from = m_impl->store, rank = place.rank, size = place.size, options] {
                return c10::make_intrusive<Gloo>(c10::make_intrusive<c10d::PrefixStore>("gloo", from), rank,
                                                 size, options);
            },
            [&] { return !valueOf(store, failureKey).empty(); });
        if (!gloo)
            throw std::runtime_error(fmt::format("they came to {}, but not all answered within {} seconds",
                                                 where(), seconds(m_impl->patience)));
        return std::make_shared<TorchGroup>(place, m_impl->store, std::move(*gloo));
    } catch (const std::exception& error) {
        if (const auto sentence = valueOf(store, failureKey); !sentence.empty())
            return fail(sentence);
        return fail(
            fmt::format("process {} could not connect with the other {}: {}", place.rank, place.size - 1,
                        shortly(error.what())),
            "Make sure that the hosts reach each other; GLOO_SOCKET_IFNAME chooses the network interface");
    }
}

std::string useGpu(ProcessGroup& processes, int device)
{
    auto* group = dynamic_cast<TorchGroup*>(&processes);
    return group != nullptr ? group->useGpu(device) : std::string();
}

} // namespace sparserl
