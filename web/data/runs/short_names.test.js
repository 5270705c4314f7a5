import assert from "node:assert/strict";
import { test } from "node:test";
import { distinguishingWords, draftNames, partsOf, sharedFolders, shortNames } from "./short_names.js";

/** @param {string[]} names @param {number} [budget] */
const short = (names, budget = 32) => [...shortNames(draftNames(names), budget).values()];

const LLM = [
  "qwen2.5-7b-sft_lr2e-5_bs64_seed42",
  "qwen2.5-7b-sft_lr1e-5_bs64_seed42",
  "qwen2.5-7b-lora-r16_lr2e-4_bs64_seed42",
  "qwen2.5-7b-lora-r64_lr2e-4_bs64_seed42",
  "llama-3.1-8b-sft_lr2e-5_bs128_seed42",
  "llama-3.1-8b-sft_lr2e-5_bs128_seed1337",
  "llama-3.1-8b-dpo_beta0.1_lr5e-7",
];
const CIFAR = ["0.1", "0.01"].flatMap((rate) =>
  [0, 1].map((seed) => `cifar10_resnet18_bs128_lr${rate}_wd5e-4_seed${seed}_aug`),
);

test("a name consists of words: a key with its value, letters with the number that follows", () => {
  assert.deepEqual(partsOf(LLM[0]).words, ["qwen2.5", "7b", "sft", "lr2e-5", "bs64", "seed42"]);
  assert.deepEqual(partsOf("opt.lr=-3e-4,model=resnet50/small").words, ["opt", "lr=-3e-4", "model=resnet50", "small"]);
  assert.deepEqual(partsOf("conv1relu2").words, ["conv1", "relu2"]);
});

test("names keep the words in which they differ from those that begin alike", () => {
  assert.deepEqual(short(LLM, 20), [
    "qwen2.5…sft_lr2e-5",
    "qwen2.5…sft_lr1e-5",
    "qwen2.5-7b-lora-r16",
    "qwen2.5-7b-lora-r64",
    "llama…sft…seed42",
    "llama…sft…seed1337",
    "llama…dpo_beta0.1",
  ]);
  assert.deepEqual(short(["runs/a/train", "runs/a/validation"]), ["train", "validation"]);
  assert.deepEqual(short(["runs/a/train", "runs/b/train"]), ["a", "b"]);
});

test("words that vary are kept while they fit, even where fewer would be distinct", () => {
  const names = ["digits-lr=0.1-batch=16-seed=0", "digits-lr=0.3-batch=32-seed=0"];
  assert.deepEqual(short(names), ["lr=0.1-batch=16", "lr=0.3-batch=32"]);
  assert.deepEqual(short(names, 8), ["lr=0.1", "lr=0.3"]);
});

test("a name that needs all of its words may be a little too long", () => {
  const names = ["lr0.1_batch16", "lr0.001_batch16", "lr0.0001_batch16", "lr0.0001_batch32"];
  assert.deepEqual(short(names, 15), names);
});

test("a run of another kind costs the others one word", () => {
  assert.deepEqual(short(CIFAR), ["lr0.1…seed0", "lr0.1…seed1", "lr0.01…seed0", "lr0.01…seed1"]);
  assert.deepEqual(short([...CIFAR, "aaa_new_run"]), [
    "cifar10…lr0.1…seed0",
    "cifar10…lr0.1…seed1",
    "cifar10…lr0.01…seed0",
    "cifar10…lr0.01…seed1",
    "aaa_new_run",
  ]);
});

test("a number alone keeps a word of context", () => {
  assert.deepEqual(short(["exp-0", "exp-1"]), ["exp-0", "exp-1"]);
  assert.deepEqual(short(["run", "run-2"]), ["run", "run-2"]);
  assert.deepEqual(short(["2026-11-27", "2026-11-28"]), ["27", "28"]);
});

test("names that differ only in what separates their words are whole", () => {
  assert.deepEqual(short(["a-b", "a_b", "a-b-"]), ["a-b", "a_b", "a-b-"]);
  assert.deepEqual(short(["--", "-"]), ["--", "-"]);
});

test("a long word is cut in the middle", () => {
  assert.deepEqual(short(["hyperparametersearch-0", "hyperparametersearch-1"], 12), ["hyperp…rch-0", "hyperp…rch-1"]);
  assert.deepEqual(short(["训练运行名称很长很长很长很长"], 8), ["训练运行名…很长"]);
});

let state = 1;
/** A generator with a seed, so that a failure can be repeated. @param {number} below */
function draw(below) {
  state = (state * 1103515245 + 12345) % 2 ** 31;
  return Math.floor((state / 2 ** 31) * below);
}
/** @template T @param {readonly T[]} values */
const oneOf = (values) => values[draw(values.length)];
const two = (/** @type {number} */ number) => String(number).padStart(2, "0");
const hex = (/** @type {number} */ length) => Array.from({ length }, () => draw(16).toString(16)).join("");
const rate = () => oneOf(["1e-3", "3e-4", "0.1", "0.05", "2e-5", "0.0025"]);
const date = () => `2026-${two(1 + draw(12))}-${two(1 + draw(28))}_${two(draw(24))}-${two(draw(60))}-${two(draw(60))}`;

const NUMBERS = /\d+(\.\d+)*(e-?\d+)?/g;

/** How people name runs. @type {Array<() => string>} */
const SCHEMES = [
  () => `lr=${rate()},batch_size=${2 ** draw(9)},optimizer=${oneOf(["adamw", "sgd", "lion"])},seed=${draw(5)}`,
  () => `${oneOf(["amber", "brisk", "calm"])}-${oneOf(["fox", "reef", "star"])}-${draw(200)}`,
  () => `${date()}_${oneOf(["resnet50", "vit-b16"])}`,
  () => `experiments/${oneOf(["cifar10", "imagenet"])}/${date()}/${oneOf(["train", "val"])}`,
  () =>
    `${oneOf(["qwen2.5-7b", "llama-3.1-8b"])}-${oneOf(["sft", "dpo", "lora-r16"])}_lr${rate()}_bs64_seed${draw(99)}`,
  () => `run-${two(draw(28))}T${draw(9)}-${hex(8)}`,
  () => hex(40),
  () => `exp-${draw(1000)}`,
  () => `HalfCheetah-v4__ppo__${draw(5)}__17641${draw(99999)}`,
  () => `${oneOf(["model.a", "model.b"])}.layers.${draw(40)}.${oneOf(["attn", "mlp"])}.w${draw(3)}`,
  () => oneOf(["train", "val", "baseline", "debug", "运行", "test run", "a", "--", "lr=-3", "lr=.5"]),
];

test("short names of 2,000 lists: none equal, none empty, no number cut, at 8 to 60 characters", () => {
  for (let round = 0; round < 2000; round++) {
    const schemes = draw(4) ? [oneOf(SCHEMES)] : [oneOf(SCHEMES), oneOf(SCHEMES), oneOf(SCHEMES)];
    const names = [...new Set(Array.from({ length: 1 + draw(30) }, () => oneOf(schemes)()))];
    const budget = 8 + draw(53);
    const texts = short(names, budget);
    const areWhole = texts.every((text, at) => {
      const numbers = /** @type {string[]} */ (names[at].match(NUMBERS) ?? []);
      return (
        text &&
        text.length <= Math.max(budget, names[at].length) &&
        (text.match(NUMBERS) ?? []).every((each) => numbers.includes(each))
      );
    });
    if (!areWhole || new Set(texts).size < names.length)
      assert.fail(`${budget}: ${names.join(" ")}\n${texts.join(" ")}`);
  }
});

test("the words that distinguish are those of a slow comparison of all pairs", () => {
  for (let round = 0; round < 300; round++) {
    const scheme = oneOf(SCHEMES);
    const all = [...new Set(Array.from({ length: 12 }, scheme))].map(partsOf);
    const slow = all.map(({ words }) =>
      words.flatMap((word, at) =>
        all.some(
          (other) => words.slice(0, at).every((each, place) => other.words[place] === each) && other.words[at] !== word,
        )
          ? [at]
          : [],
      ),
    );
    assert.deepEqual(distinguishingWords(all), slow);
  }
});

test("ten thousand names are shortened", () => {
  const names = Array.from(
    { length: 10_000 },
    (_, number) => `sweep_lr${(number % 100) / 1000}_bs${number % 7}_seed${number}`,
  );
  assert.equal(new Set(short(names)).size, names.length);
});

test("the folders that all names are in are known", () => {
  for (const [names, folders] of /** @type {[string[], string][]} */ ([
    [["a/b/c-1", "a/b/c-2"], "a/b/"],
    [["a/b", "a/bc"], "a/"],
    [["a", "a/b"], ""],
    [["a/b"], "a/"],
    [["a", "b"], ""],
    [[], ""],
  ]))
    assert.equal(sharedFolders(names), folders.length, String(names));
});
