// Counts characters as the server does: by code points, so that an emoji is one.
for (const count of document.querySelectorAll("[data-counts]")) {
  const field = document.getElementById(count.dataset.counts);
  const show = () => {
    count.textContent = `${[...field.value].length} of ${count.dataset.limit} characters`;
  };
  field.addEventListener("input", show);
  show();
}
