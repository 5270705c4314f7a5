// How much a point stands out, as the fourth byte of its colour says it. In the shader: the number of thirds.

export const EMPHASIS = { hidden: 0, faint: 85, plain: 170, strong: 255 };
