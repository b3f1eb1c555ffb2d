// SPDX-License-Identifier: Apache-2.0
#include "policy/compute/recompute.h"

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

} // namespace

Tensor recomputed(const TensorFunction& function, const std::vector<Tensor>& inputs)
{
    return Recompute::apply(function, at::TensorList(inputs));
}

} // namespace sparserl
