// Words of the tensors page.

export const en = {
  "page.tensors": "Tensors",
  "empty.no_tensors": "These runs hold no tensors yet.",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.tensors": "张量",
  "empty.no_tensors": "这些运行还没有张量。",
};
