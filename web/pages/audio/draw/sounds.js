// Decoded sounds, and their pictures, which a worker computes that is started on first use.

import { assetUrl } from "../../../data/client/assets.js";

/** @typedef {import("./sound_worker.js").SoundResult} SoundResult */

/** Columns of a picture, at most. */
const COLUMNS = 800;

/** @type {Worker | null} */
let worker = null;
/** @type {Map<number, PromiseWithResolvers<SoundResult>>} */
const pending = new Map();
let lastId = 0;

function start() {
  const started = new Worker(assetUrl("sound_worker.js"), { type: "module" });
  started.onmessage = (/** @type {MessageEvent<SoundResult>} */ { data }) => {
    pending.get(data.id)?.resolve(data);
    pending.delete(data.id);
  };
  started.onerror = () => {
    worker = null;
    for (const { reject } of pending.values()) reject(new Error("no worker"));
    pending.clear();
  };
  return started;
}

/** Fetches a clip and returns its waveform and spectrogram.
 * @param {string} url @param {number} rate samples a second @param {AbortSignal} signal */
export async function soundOf(url, rate, signal) {
  const response = await fetch(url, { signal });
  if (!response.ok) throw new Error(`${response.status} ${response.statusText}`);
  // A context of the clip's rate, so that nothing is resampled.
  const decoded = await new OfflineAudioContext(1, 1, rate).decodeAudioData(await response.arrayBuffer());
  signal.throwIfAborted();
  const channels = Array.from({ length: decoded.numberOfChannels }, (_, number) =>
    decoded.getChannelData(number).slice(),
  );
  worker ??= start();
  const id = ++lastId;
  const result = /** @type {PromiseWithResolvers<SoundResult>} */ (Promise.withResolvers());
  pending.set(id, result);
  worker.postMessage(
    { id, channels, rate, columns: COLUMNS },
    channels.map(({ buffer }) => buffer),
  );
  return result.promise;
}
