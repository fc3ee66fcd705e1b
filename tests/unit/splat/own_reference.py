"""gsplat without CUDA: its ``rasterization`` over its own torch reference, and pixels by a plain loop."""

from __future__ import annotations

from typing import Any


def on_the_cpu(monkeypatch: Any) -> None:
    from gsplat import rendering
    from gsplat.cuda import _torch_impl

    monkeypatch.setattr(rendering, "fully_fused_projection", _projection)
    monkeypatch.setattr(rendering, "isect_tiles", lambda *given, **named: (None, None, None))
    monkeypatch.setattr(rendering, "isect_offset_encode", _no_tiles)
    monkeypatch.setattr(
        rendering,
        "spherical_harmonics",
        lambda degree, dirs, coeffs, masks=None: _torch_impl._spherical_harmonics(degree, dirs, coeffs),
    )
    monkeypatch.setattr(rendering, "rasterize_to_pixels", _pixels)


def _projection(means, covars, quats, scales, views, lenses, width, height, **options):
    """As the packed kernel gives it: batch, camera, Gaussian, radii, centre, depth, conic, share by rows."""
    import torch
    from gsplat.cuda import _torch_impl

    covars, _ = _torch_impl._quat_scale_to_covar_preci(quats, scales, True, False, triu=False)
    radii, centres, depths, conics, shares = _torch_impl._fully_fused_projection(
        means, covars, views, lenses, width, height,
        eps2d=options["eps2d"], near_plane=options["near_plane"],
        calc_compensations=options["calc_compensations"],
    )  # fmt: skip
    assert options["packed"]
    opacities = options["opacities"][None] * (1 if shares is None else shares)
    camera, row = torch.nonzero((radii > 0).all(dim=-1) & (opacities >= 1 / 255), as_tuple=True)
    _pixels.camera, _pixels.depths = camera, depths[camera, row]
    return (
        torch.zeros_like(camera), camera, row, radii[camera, row], centres[camera, row], depths[camera, row],
        conics[camera, row], None if shares is None else shares[camera, row],
    )  # fmt: skip


def _no_tiles(ids, images, wide, high):
    import torch

    return torch.zeros(images, high, wide)


def _pixels(centres, conics, colours, opacities, width, height, tile, offsets, ids, **options):
    """Kerbl et al. 2023, with gsplat's constants (csrc/RasterizeToPixels3DGSFwd.cu)."""
    import torch

    rows, columns = torch.meshgrid(torch.arange(height) + 0.5, torch.arange(width) + 0.5, indexing="ij")
    pictures, covered = [], []
    for c in range(offsets.shape[0]):
        mine = torch.nonzero(_pixels.camera == c)[:, 0]
        left, live = torch.ones(height, width), torch.ones(height, width, dtype=torch.bool)
        picture = torch.zeros(height, width, colours.shape[-1])
        for i in mine[torch.argsort(_pixels.depths[mine], stable=True)]:
            dx, dy = columns - centres[i, 0], rows - centres[i, 1]
            sigma = 0.5 * (conics[i, 0] * dx * dx + conics[i, 2] * dy * dy) + conics[i, 1] * dx * dy
            alpha = torch.clamp_max(opacities[i] * torch.exp(-sigma), 0.999)
            drawn = live & (alpha >= 1 / 255)
            following = left * (1 - alpha)
            live = live & ~(drawn & (following <= 1e-4))
            weight = torch.where(drawn & live, left * alpha, 0.0)
            picture += weight[..., None] * colours[i]
            left = torch.where(drawn & live, following, left)
        picture += left[..., None] * options["backgrounds"][c]
        pictures.append(picture)
        covered.append(1 - left[..., None])
    return torch.stack(pictures), torch.stack(covered)
