"""Muon: momentum whose update is orthogonalised, for matrices and convolutions; learns far faster than Adam here."""
import torch

from models import fast_bf16


def orthogonalise(g, rounds=5):
    """Newton-Schulz iteration; g is [.., rows, columns]."""
    x = g.bfloat16() if fast_bf16() else g
    tall = x.shape[-2] > x.shape[-1]
    if tall:
        x = x.mT
    x = x / (x.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    for _ in range(rounds):
        a = x @ x.mT
        x = 3.4445 * x + (-4.7750 * a + 2.0315 * (a @ a)) @ x
    return (x.mT if tall else x).to(g.dtype)


class Muon(torch.optim.Optimizer):
    """The step is scaled so that its size per element is 0.2 lr, as AdamW's typically is."""

    def __init__(self, parameters, lr, momentum=0.95, weight_decay=0.0):
        super().__init__(parameters, dict(lr=lr, momentum=momentum, weight_decay=weight_decay))

    @torch.no_grad()
    def step(self):
        for group in self.param_groups:
            by_shape = {}
            for p in group["params"]:
                if p.grad is None:
                    continue
                state = self.state[p]
                if not state:
                    state["momentum"] = torch.zeros_like(p)
                buffer = state["momentum"].lerp_(p.grad, 1 - group["momentum"])
                update = p.grad.lerp(buffer, group["momentum"]).flatten(1)
                by_shape.setdefault(update.shape, []).append((p, update))
            for shape, items in by_shape.items():
                updates = orthogonalise(torch.stack([u for _, u in items])) * (0.2 * max(shape) ** 0.5)
                for (p, _), update in zip(items, updates):
                    p.mul_(1 - group["lr"] * group["weight_decay"])
                    p.sub_(update.view(p.shape), alpha=group["lr"])
