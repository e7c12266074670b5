/** Dlq. */
export const DlqPage = () => (
  <div className="page">
    <h1>Dlq</h1>
  </div>
)
