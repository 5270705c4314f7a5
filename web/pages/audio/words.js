// The words of the audio page, in English and Chinese.

import * as shared from "../../i18n/shared_words.js";
import { translator } from "../../i18n/text.js";

export const en = {
  "empty.no_audio": "No audio in these runs yet.",
  "audio.of": "{tag} of {run} at step {step}",
  "audio.more": "{n} more clip|{n} more clips",
  "audio.mono": "mono",
  "audio.stereo": "stereo",
  "audio.channels": "{n} channels",
  "audio.download": "Download",
  "audio.unknown_format": "Browsers cannot play this format. You can download the file.",
  "audio.not_included": "Not part of this snapshot.",
  "audio.picture": "Waveform and spectrogram: {label}",
  "audio.picture_label": "Picture of a clip",
  "audio.picture_wave": "Waveform",
  "audio.picture_spectrum": "Spectrogram",
  "audio.picture_both": "Waveform and spectrogram",
  "audio.picture_none": "No picture",
  "audio.not_decoded": "The browser cannot decode this clip.",
  "audio.loop": "Loop",
  "audio.loop_hint": "Repeat the clip that plays",
  "audio.in_step": "In step",
  "audio.in_step_hint": "A clip begins where the one that played before in its card was",
  "audio.keys_step": "previous and next step",
  "audio.keys_play": "play or pause the clip under the cursor",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "empty.no_audio": "这些运行还没有音频。",
  "audio.of": "{run} 的 {tag}，第 {step} 步",
  "audio.more": "还有 {n} 段音频",
  "audio.mono": "单声道",
  "audio.stereo": "立体声",
  "audio.channels": "{n} 个声道",
  "audio.download": "下载",
  "audio.unknown_format": "浏览器无法播放此格式，可以下载文件。",
  "audio.not_included": "此快照不包含该内容。",
  "audio.picture": "波形和频谱图：{label}",
  "audio.picture_label": "音频的图像",
  "audio.picture_wave": "波形",
  "audio.picture_spectrum": "频谱图",
  "audio.picture_both": "波形和频谱图",
  "audio.picture_none": "无图像",
  "audio.not_decoded": "浏览器无法解码这段音频。",
  "audio.loop": "循环",
  "audio.loop_hint": "重复正在播放的音频",
  "audio.in_step": "同步",
  "audio.in_step_hint": "从同一卡片中上一段音频的位置开始播放",
  "audio.keys_step": "上一步、下一步",
  "audio.keys_play": "播放或暂停光标下的音频",
};

/** @typedef {keyof typeof shared.en | keyof typeof en} TextKey */

export const t = translator({ ...shared.en, ...en }, { ...shared.zh, ...zh });
