// SPDX-License-Identifier: Apache-2.0
#include "policy/t5/recompute.h"

namespace sparserl {

using torch::Tensor;
using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

namespace {

/// The function, in the one shape in which a context keeps what is no tensor.
struct KeptFunction : torch::CustomClassHolder
{
    explicit KeptFunction(TensorFunction f)
        : function(std::move(f))
    {
    }
    TensorFunction function;
};

struct Recompute : torch::autograd::Function<Recompute>
{
    static Tensor forward(AutogradContext* context, const TensorFunction& function, at::TensorList inputs)
    {
        const std::vector<Tensor> list = inputs.vec();
        context->save_for_backward(list);
        context->saved_data["function"] =
            c10::IValue::make_capsule(c10::make_intrusive<KeptFunction>(function));
        return function(list);
    }

    static variable_list backward(AutogradContext* context, variable_list grads)
    {
        const auto kept = context->saved_data["function"].toCapsule();
        const auto& function = static_cast<const KeptFunction&>(*kept).function;
        std::vector<Tensor> inputs;
        variable_list asked;
        for (const Tensor& saved : context->get_saved_variables()) {
            inputs.push_back(saved.detach());
            if (saved.requires_grad())
                asked.push_back(inputs.back().requires_grad_());
        }
        Tensor result;
        {
            const at::AutoGradMode withGradients(true);
            result = function(inputs);
        }
        const variable_list found = torch::autograd::grad({result}, asked, {grads[0]}, std::nullopt, false,
                                                          /*allow_unused=*/true);
        variable_list all(1); // of the function itself
        std::size_t at = 0;
        for (const Tensor& input : inputs)
            all.push_back(input.requires_grad() ? found[at++] : Tensor());
        return all;
    }
};

/// The block's tensors, in an order; a block of the encoder has fewer.
std::vector<Tensor*> placesOf(T5Block& block)
{
    std::vector<Tensor*> places;
    for (Tensor* tensor :
         {&block.self.norm, &block.self.qkv, &block.self.out, &block.cross.norm, &block.cross.query,
          &block.cross.keyValue, &block.cross.out, &block.feed.norm, &block.feed.in, &block.feed.out}) {
        if (tensor->defined())
            places.push_back(tensor);
    }
    return places;
}

} // namespace

Tensor recomputed(const TensorFunction& function, const std::vector<Tensor>& inputs)
{
    return Recompute::apply(function, at::TensorList(inputs));
}

Tensor throughLayer(const LayerFunction& layer, const T5Block& block, const std::vector<Tensor>& given,
                    bool recompute)
{
    if (!recompute || !at::GradMode::is_enabled())
        return layer(block, given);
    T5Block copy = block;
    std::vector<Tensor> inputs = given;
    for (const Tensor* weight : placesOf(copy))
        inputs.push_back(*weight);
    const auto again = [layer, copy, count = given.size()](const std::vector<Tensor>& all) {
        T5Block own = copy;
        std::size_t at = count;
        for (Tensor* place : placesOf(own))
            *place = all[at++];
        return layer(own, {all.begin(), all.begin() + std::ptrdiff_t(count)});
    };
    return recomputed(again, inputs);
}

} // namespace sparserl
