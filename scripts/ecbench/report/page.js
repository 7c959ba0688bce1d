"use strict";
// This script makes the tables sortable, and makes a link to download the raw data. The page also works without it.
document.documentElement.classList.add("scripted");

const units = { B: 1, KiB: 1024, MiB: 1048576, GiB: 1073741824 };

// The sort key of a cell: its text, and the number at the beginning of the text. The number can have a sign, a unit and a warning
// mark. If the text does not begin with a number, the number is NaN, and the cell is sorted after all cells that have numbers.
function keyOf(cell) {
  const text = cell.textContent.trim().replace("−", "-");
  const match = /^([+-]?\d+(?:\.\d+)?)(?: (B|KiB|MiB|GiB|%))?(?=$|[,+ !])/.exec(text);
  return { number: match ? Number(match[1]) * (units[match[2]] || 1) : NaN, text };
}

function compare(a, b) {
  if (isNaN(a.number) !== isNaN(b.number)) return isNaN(a.number) ? 1 : -1;
  return (isNaN(a.number) ? 0 : a.number - b.number) || a.text.localeCompare(b.text, "en", { numeric: true });
}

function sortBy(table, heading) {
  const column = heading.cellIndex;
  const turn = heading.getAttribute("aria-sort") === "ascending" ? -1 : 1;
  const body = table.tBodies[0];
  const keyed = Array.from(body.rows, (row) => ({ row, key: keyOf(row.cells[column]) }));
  keyed.sort((a, b) => turn * compare(a.key, b.key));
  const sorted = document.createDocumentFragment();
  for (const { row } of keyed) sorted.appendChild(row);
  body.appendChild(sorted);
  for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
  heading.setAttribute("aria-sort", turn > 0 ? "ascending" : "descending");
}

for (const table of document.querySelectorAll("table.sortable")) {
  for (const heading of table.tHead.rows[0].cells) {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...heading.childNodes);
    button.addEventListener("click", () => sortBy(table, heading));
    heading.append(button);
  }
}

const link = document.getElementById("download");
link.href = URL.createObjectURL(new Blob([document.getElementById("data").textContent], { type: "application/json" }));
