"use strict";
for (const button of document.querySelectorAll("button.copy")) {
  const code = button.parentElement.querySelector("code");
  button.hidden = false;
  button.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(code.textContent);
    } catch {
      const range = document.createRange();
      range.selectNodeContents(code);
      getSelection().removeAllRanges();
      getSelection().addRange(range);
      document.execCommand("copy");
    }
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 1500);
  });
}
const large = document.getElementById("large");
for (const picture of document.querySelectorAll("img.large")) {
  picture.classList.add("opens");
  picture.addEventListener("click", () => {
    document.getElementById("large-picture").src = picture.src;
    document.getElementById("large-picture").alt = picture.alt;
    document.getElementById("large-words").textContent = picture.alt;
    large.showModal();
  });
}
large.addEventListener("click", (event) => { if (event.target === large) large.close(); });
