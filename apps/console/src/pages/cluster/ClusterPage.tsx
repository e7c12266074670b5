/** Cluster. */
export const ClusterPage = () => (
  <div className="page">
    <h1>Cluster</h1>
  </div>
)
