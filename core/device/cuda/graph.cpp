// SPDX-License-Identifier: Apache-2.0
#include "device/cuda/graph.h"

#include <utility>
#include <vector>

namespace sparserl::cuda {

namespace {

/// Libraries may launch their kernels so that one starts before the one before it has ended (programmatic
/// dependent launch). Calls of a routine would then overlap, and their time would not be that of one call:
/// cuSPARSE 12.9.4's CSR_ALG3 takes 3.8 us on 53,000 non-zeros, and 0.63 us where 80 calls overlap (H200).
Status endOverlap(Gpu& gpu, CUgraph graph)
{
    const Driver& api = gpu.api();
    std::size_t count = 0;
    SPARSERL_CHECK(gpu.check(api.graphGetEdges(graph, nullptr, nullptr, nullptr, &count),
                             "counting the edges of a graph"));
    std::vector<CUgraphNode> from(count), to(count);
    std::vector<CUgraphEdgeData> data(count);
    if (count == 0)
        return {};
    SPARSERL_CHECK(gpu.check(api.graphGetEdges(graph, from.data(), to.data(), data.data(), &count),
                             "reading the edges of a graph"));
    for (std::size_t i = 0; i < count; ++i) {
        if (data[i].type == CU_GRAPH_DEPENDENCY_TYPE_DEFAULT)
            continue;
        SPARSERL_CHECK(gpu.check(api.graphRemoveDependencies(graph, &from[i], &to[i], &data[i], 1),
                                 "removing an edge of a graph"));
        SPARSERL_CHECK(gpu.check(api.graphAddDependencies(graph, &from[i], &to[i], nullptr, 1),
                                 "adding an edge to a graph"));
    }
    return {};
}

} // namespace

Result<Graph> Graph::capture(Gpu& gpu, const std::function<Result<std::optional<Fault>>()>& enqueue)
{
    const Driver& api = gpu.api();
    // Relaxed: libraries may look things up while they enqueue; nothing else uses this context.
    SPARSERL_CHECK(gpu.check(api.streamBeginCapture(gpu.stream(), CU_STREAM_CAPTURE_MODE_RELAXED),
                             "starting a capture"));
    auto refused = enqueue();
    CUgraph graph = nullptr;
    auto ended = gpu.check(api.streamEndCapture(gpu.stream(), &graph), "ending a capture");
    Graph result(gpu);
    std::optional<Error> problem;
    if (!refused)
        problem = refused.error();
    else if (*refused)
        problem = Error{(*refused)->message, {}, 0, {}};
    else if (!ended)
        problem = ended.error();
    else if (auto serial = endOverlap(gpu, graph); !serial)
        problem = serial.error();
    else if (auto ok = gpu.check(api.graphInstantiate(&result.m_exec, graph, 0), "building a graph"); !ok)
        problem = ok.error();
    if (graph)
        api.graphDestroy(graph);
    if (problem)
        return fail(std::move(*problem));
    return result;
}

Graph::Graph(Graph&& other) noexcept
    : m_gpu(other.m_gpu)
    , m_exec(std::exchange(other.m_exec, nullptr))
{
}

Graph::~Graph()
{
    if (m_exec && !m_gpu->poisoned())
        m_gpu->api().graphExecDestroy(m_exec);
}

Status Graph::launch()
{
    return m_gpu->check(m_gpu->api().graphLaunch(m_exec, m_gpu->stream()), "launching a graph");
}

Result<Events> Events::make(Gpu& gpu, int count)
{
    Events events(gpu);
    for (int i = 0; i < count; ++i) {
        CUevent event = nullptr;
        SPARSERL_CHECK(gpu.check(gpu.api().eventCreate(&event, CU_EVENT_DEFAULT), "making an event"));
        events.m_events.push_back(event);
    }
    return events;
}

Events::Events(Events&& other) noexcept
    : m_gpu(other.m_gpu)
    , m_events(std::move(other.m_events))
{
    other.m_events.clear();
}

Events::~Events()
{
    for (CUevent event : m_events) {
        if (!m_gpu->poisoned())
            m_gpu->api().eventDestroy(event);
    }
}

Status Events::record(int index)
{
    return m_gpu->check(m_gpu->api().eventRecord(m_events[static_cast<std::size_t>(index)], m_gpu->stream()),
                        "recording an event");
}

Result<double> Events::microseconds(int from, int to)
{
    float milliseconds = 0;
    SPARSERL_CHECK(
        m_gpu->check(m_gpu->api().eventElapsedTime(&milliseconds, m_events[static_cast<std::size_t>(from)],
                                                   m_events[static_cast<std::size_t>(to)]),
                     "reading an event"));
    return 1e3 * static_cast<double>(milliseconds);
}

} // namespace sparserl::cuda
