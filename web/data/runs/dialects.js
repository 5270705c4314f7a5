// The formats of logs, by the names that the API has for them.

/** @type {Readonly<Record<string, string>>} */
const NAMES = {
  mindspore: "MindSpore",
  tensorboard: "TensorBoard",
  wandb: "Weights & Biases",
  mlflow: "MLflow",
  mlruns: "MLflow (mlruns)",
  transformers: "Transformers",
  lightning: "Lightning",
  ultralytics: "Ultralytics",
  keras: "Keras",
  projector: "TensorBoard Projector",
  table: "CSV, JSON Lines",
};

/**
 * The name of a format as it is shown; one that a package adds has only its own.
 * @param {string} dialect
 */
export const dialectName = (dialect) => (Object.hasOwn(NAMES, dialect) ? NAMES[dialect] : dialect);
