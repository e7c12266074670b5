/** Machine. */
export const MachinePage = () => (
  <div className="page">
    <h1>Machine</h1>
  </div>
)
