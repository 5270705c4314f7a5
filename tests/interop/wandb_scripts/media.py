"""Predictions: images, a table, histograms, HTML and a confusion matrix, with lists and arrays beside them."""

import numpy as np
import wandb

random = np.random.default_rng(3)
run = wandb.init(project="media", config={"classes": ["cat", "dog"], "threshold": 0.5})
table = wandb.Table(columns=["image", "guess", "truth", "score"])
for epoch in range(3):
    pixels = random.integers(0, 256, (6, 7, 3), dtype=np.uint8)
    scores = random.random(50)
    table.add_data(wandb.Image(pixels), "cat", "dog" if epoch else "cat", float(scores[0]))
    run.log(
        {
            "sample": wandb.Image(pixels, caption=f"epoch {epoch}"),
            "scores": wandb.Histogram(scores),
            "counted": wandb.Histogram(np_histogram=np.histogram(scores, bins=5)),
            "activations": random.normal(size=(10, 20)),
            "accuracy": scores.mean(),
            "per_class": [0.25, 0.5],
            "status": "fine",
            "report": wandb.Html(f"<p>epoch {epoch}</p>"),
        }
    )
run.log({"predictions": table, "examples": [wandb.Image(pixels), wandb.Image(pixels // 2)]})
run.log(
    {
        "matrix": wandb.plot.confusion_matrix(
            y_true=[0, 1, 1], preds=[0, 1, 0], class_names=["cat", "dog"], title="Confusion"
        )
    }
)
run.finish(exit_code=0)
