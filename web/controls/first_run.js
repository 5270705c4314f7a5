// What to do while there are no runs: lines of Python to copy, and the command of the demo.

import { html } from "lit-html";
import { t } from "../i18n/words.js";
import { copyButton } from "./copy_button.js";

/** A text as a literal of Python: JSON's strings are valid there. @param {string} text */
const literal = (text) => JSON.stringify(text);

/** @param {string} logdir */
const recorderCode = (logdir) => `from toposcope.recorder import SummaryRecord

with SummaryRecord(${literal(`${logdir}/first-run`)}) as record:
    for step in range(100):
        record.add_value("scalar", "train/loss", 1 / (step + 1))
        record.record(step)`;

/** @param {string} logdir */
const writerCode = (logdir) => `from toposcope.recorder.tensorboard import SummaryWriter

writer = SummaryWriter(${literal(`${logdir}/first-run`)})
writer.add_scalar("train/loss", 0.5, global_step=1)`;

/** @param {string} logdir */
const wandbCode = (logdir) => `from toposcope.recorder import wandb

with wandb.init(dir=${literal(logdir)}) as run:
    run.log({"train/loss": 0.5})`;

/** @param {string} logdir */
export const firstRun = (logdir) => html`<div class="first-run">
  ${sample("empty.record", recorderCode(logdir))}
  ${sample("empty.record_tensorboard", writerCode(logdir))}
  ${sample("empty.record_wandb", wandbCode(logdir))}
  ${sample("empty.demo", "make demo")}
</div>`;

/** @param {"empty.record" | "empty.record_tensorboard" | "empty.record_wandb" | "empty.demo"} title @param {string} code */
const sample = (title, code) => html`<figure><figcaption>${t(title)}</figcaption>
  <div class="code-sample"><pre tabindex="0" aria-label=${t(title)}>${code}</pre>${copyButton(t("empty.copy_code"), () => code)}</div></figure>`;
