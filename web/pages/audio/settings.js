// The settings of the audio page in the URL: its step, rank and attempt.

import { PageStep } from "../../controls/page_step.js";
import { RankChoice } from "../../data/runs/ranks.js";

export const audioStep = new PageStep("audio");
export const audioRanks = new RankChoice("audio", "audio");
