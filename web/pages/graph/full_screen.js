// Full-screen mode of the graph.

export function toggleFullScreen() {
  if (document.fullscreenElement) void document.exitFullscreen();
  else void document.querySelector(".graph")?.requestFullscreen?.();
}
