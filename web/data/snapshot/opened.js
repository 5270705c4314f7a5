// Opens the snapshot in this document: its requests are answered from what the file contains.

import { t } from "../../i18n/words.js";
import { replaceAssets } from "../client/assets.js";
import { RequestError, replaceSource } from "../client/client.js";
import { unpack } from "./packing.js";
import { snapshot } from "./state.js";
import { ReplyTable, requestOf } from "./table.js";

/** The status of a request for what was not recorded: 404 would mean that the run is deleted. */
const GONE = 410;

/** @param {string} text the packed content */
export async function openSnapshot(text) {
  const { facts, files, table } = await unpack(text);
  const replies = new ReplyTable(table);
  const urls = urlsOf(files);
  replaceSource(() => async (path, options) => {
    const reply = replies.answer(requestOf(path, options?.body));
    if (reply === undefined) throw new RequestError(GONE, t("snapshot.not_included"));
    return reply instanceof ArrayBuffer ? reply : withUrls(reply, urls);
  });
  replaceAssets(() => (name) => urls.get(name) ?? "");
  snapshot.value = facts;
  return facts;
}

/** @param {Map<string, {type: string, content: ArrayBuffer}>} files @returns {Map<string, string>} */
const urlsOf = (files) =>
  new Map(
    [...files].map(([name, { type, content }]) => [
      name,
      content.byteLength ? URL.createObjectURL(new Blob([content], { type })) : "",
    ]),
  );

/** Replaces the addresses of files by URLs of their contents; "" = not included.
 * @param {any} reply @param {Map<string, string>} urls */
function withUrls(reply, urls) {
  const lists = Object.entries(reply).filter(([, list]) => Array.isArray(list) && typeof list[0]?.url === "string");
  const replaced = lists.map(([name, list]) => [
    name,
    list.map((/** @type {{url: string}} */ row) => ({ ...row, url: urls.get(row.url) ?? "" })),
  ]);
  const { sprite } = reply;
  const url = sprite && urls.get(sprite.url);
  return { ...reply, ...Object.fromEntries(replaced), ...(sprite && { sprite: url ? { ...sprite, url } : null }) };
}
