// The graph alone on the screen.

export function toggleFullScreen() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.querySelector(".graph")?.requestFullscreen?.();
}
