// Words of the images page.

export const en = {
  "page.images": "Images",
  "empty.no_images": "These runs hold no images yet.",
};

/** @type {Record<keyof typeof en, string>} */
export const zh = {
  "page.images": "图像",
  "empty.no_images": "这些运行还没有图像。",
};
