// What pages draw with three.js, in one file of its own, which is loaded when there is something to draw.

export { PointCloud } from "../pages/embeddings/draw/point_cloud.js";
export { MeshStage, MeshView } from "../pages/meshes/draw/mesh_view.js";
